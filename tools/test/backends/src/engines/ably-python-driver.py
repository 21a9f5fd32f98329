# ably, a client of Ably's protocol in Python, driven over HTTP.
import asyncio
import base64
import queue
from importlib.metadata import version
from threading import Thread

from ably import AblyRealtime, AblyRest
from ably.types.connectionstate import ConnectionState
from http_driver import serve

WAIT_SECONDS = 10
loop = asyncio.new_event_loop()
Thread(target=loop.run_forever, daemon=True).start()
clients = {}


def run(work):
    return asyncio.run_coroutine_threadsafe(work, loop).result(WAIT_SECONDS)


def plain(data):
    if isinstance(data, (bytes, bytearray)):
        return {"base64": base64.b64encode(bytes(data)).decode()}
    return data


def told(message):
    return {"name": message.name, "data": plain(message.data), "client_id": message.client_id}


class Client:
    """One connection, and everything that it heard and nobody asked for yet."""

    def __init__(self):
        self.heard = queue.Queue()
        self.realtime = None

    async def connect(self, options):
        self.realtime = AblyRealtime(**options)
        await asyncio.wait_for(self.realtime.connection.once_async(ConnectionState.CONNECTED), WAIT_SECONDS)


def connect(options):
    client = Client()
    run(client.connect(options))
    clients[id(client)] = client
    return {"client": id(client)}


def subscribe(client, channel):
    one = clients[client]
    run(one.realtime.channels.get(channel).subscribe(lambda message: one.heard.put(told(message))))
    return {}


def publish(client, channel, name, data):
    run(clients[client].realtime.channels.get(channel).publish(name, data))
    return {}


def enter(client, channel, data):
    run(clients[client].realtime.channels.get(channel).presence.enter(data))
    return {}


def members(client, channel):
    found = run(clients[client].realtime.channels.get(channel).presence.get())
    return {"members": [{"client_id": one.client_id, "data": plain(one.data)} for one in found]}


def following(client):
    return clients[client].heard.get(timeout=WAIT_SECONDS)


def close(client):
    run(clients.pop(client).realtime.close())
    return {}


async def with_rest(options, work):
    async with AblyRest(**options) as rest:
        return await work(rest)


def rest_publish(options, channel, name, data):
    run(with_rest(options, lambda rest: rest.channels.get(channel).publish(name, data)))
    return {}


async def pages_of(rest, channel, limit):
    page = await rest.channels.get(channel).history(limit=limit)
    pages = []
    while page is not None:
        pages.append([told(one) for one in page.items])
        page = await page.next() if page.has_next() else None
    return pages


def rest_history(options, channel, limit):
    return {"pages": run(with_rest(options, lambda rest: pages_of(rest, channel, limit)))}


def rest_token(options, client_id):
    async def work(rest):
        return await rest.auth.request_token(token_params={"client_id": client_id})

    return {"token": run(with_rest(options, work)).token}


def rest_time(options):
    return {"time": run(with_rest(options, lambda rest: rest.time()))}


DOES = {
    "version": lambda: {"ably": version("ably")},
    "connect": connect,
    "subscribe": subscribe,
    "publish": publish,
    "enter": enter,
    "members": members,
    "next": following,
    "close": close,
    "rest_publish": rest_publish,
    "rest_history": rest_history,
    "rest_token": rest_token,
    "rest_time": rest_time,
}


serve(DOES)
