"""Scenes that are drawn from seeds, played on sets of clusters side by side.

A scene is an object with play(), and `done`: what has been done in it so far, for the message of one that fails.
"""

import os
import threading


def number_of(name, default):
    """The number in the environment variable."""
    return int(os.environ.get(name, default))


class Lane(threading.Thread):
    """Scenes one after another on one set of clusters; what one raises is raised again by result()."""

    def __init__(self, scene_of, clusters, seeds):
        super().__init__(daemon=True)
        self.scene_of, self.clusters, self.seeds, self.played, self.error = scene_of, clusters, seeds, [], None
        self.start()

    def run(self):
        for seed in self.seeds:
            scene = self.scene_of(self.clusters, seed)
            try:
                scene.play()
                self.played.append(scene)
            except BaseException as error:  # whatever it is, the other lane goes on
                self.error = AssertionError(f"seed {seed}, after {scene.done}: {error!r}")
                self.error.__cause__ = error
                return

    def result(self):
        self.join()
        if self.error:
            raise self.error
        return self.played


def play_all(scene_of, sets, seeds):
    """The scenes scene_of(clusters, seed) of all seeds, as they were played; a lane for each set of clusters."""
    lanes = [Lane(scene_of, clusters, seeds[at::len(sets)]) for at, clusters in enumerate(sets)]
    return [scene for lane in lanes for scene in lane.result()]
