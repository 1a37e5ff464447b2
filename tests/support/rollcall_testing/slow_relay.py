#!/usr/bin/python3
"""A relay that delays each byte by the same time in both directions, since the kernel of the test machines has no netem:

    slow_relay.py PORT HOST HOST_PORT SECONDS        prints "ready" once it listens; ends with its stdin

Bytes keep their order and none is lost; as many may be on the way as come. It is no link with little room: that is cluster_links.Slow.
"""

import asyncio
import sys


async def carry(reader, writer, seconds):
    loop = asyncio.get_running_loop()
    on_the_way = asyncio.Queue()

    async def deliver():
        while True:
            when, data = await on_the_way.get()
            await asyncio.sleep(max(0.0, when - loop.time()))
            if not data:
                break
            writer.write(data)
            await writer.drain()
        writer.close()

    delivery = asyncio.create_task(deliver())
    try:
        while data := await reader.read(65536):
            on_the_way.put_nowait((loop.time() + seconds, data))
    except ConnectionError:
        pass
    on_the_way.put_nowait((loop.time() + seconds, b""))
    try:
        await delivery
    except ConnectionError:
        writer.close()


async def serve(port, host, host_port, seconds):
    async def accepted(reader, writer):
        try:
            there_reader, there_writer = await asyncio.open_connection(host, host_port)
        except OSError:
            writer.close()
            return
        await asyncio.gather(carry(reader, there_writer, seconds), carry(there_reader, writer, seconds))

    server = await asyncio.start_server(accepted, "0.0.0.0", port)
    print("ready", flush=True)
    async with server:
        await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)


if __name__ == "__main__":
    asyncio.run(serve(int(sys.argv[1]), sys.argv[2], int(sys.argv[3]), float(sys.argv[4])))
