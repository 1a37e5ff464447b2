// The smallest task: ends at once, or stays when it is given a word. Linked statically, so that what is measured before
// it is not lost in its own start.
#include <unistd.h>

int main(int argc, char** argv) {
  (void)argv;
  if (argc > 1) pause();
  return 0;
}
