# pysher, a client of the Pusher protocol in Python, driven over HTTP.
import queue
from importlib.metadata import version
from threading import Thread

import pysher
from http_driver import serve

WAIT_SECONDS = 10
clients = {}


class Client:
    """One connection, and everything it was sent that nobody asked for yet."""

    def __init__(self, key, host, port, secret="", user=None):
        self.heard = queue.Queue()
        self.pusher = pysher.Pusher(
            key, secure=False, custom_host=host, port=port, secret=secret, user_data=user, auto_sub=True
        )
        connection = self.pusher.connection
        for event in ("pusher:connection_established", "pusher:error"):
            connection.bind(event, lambda data, event=event: self.hear(event, data, None))
        dispatch = connection.event_handler

        # Everything of a channel, also what comes before a handler could be bound.
        def hear_and_dispatch(event, data, channel):
            dispatch(event, data, channel)
            self.hear(event, data, channel)

        connection.event_handler = hear_and_dispatch
        self.pusher.connect()

    def hear(self, event, data, channel):
        self.heard.put({"event": event, "data": data, "channel": channel})


def connect(**options):
    client = Client(**options)
    clients[id(client)] = client
    return {"client": id(client)}


def following(client):
    return clients[client].heard.get(timeout=WAIT_SECONDS)


def subscribe(client, channel, bind=None):
    subscribed = clients[client].pusher.subscribe(channel)
    if bind is not None:
        hear = clients[client].hear
        subscribed.bind(bind, lambda data: hear("bound " + bind, data, channel))
    return {}


def unsubscribe(client, channel):
    clients[client].pusher.unsubscribe(channel)
    return {}


def trigger(client, channel, event, data):
    clients[client].pusher.channel(channel).trigger(event, data)
    return {}


def disconnect(client):
    # The library waits some seconds for an answer that its other thread has already read.
    Thread(target=clients.pop(client).pusher.disconnect, daemon=True).start()
    return {}


DOES = {
    "version": lambda: {"pysher": version("pysher")},
    "connect": connect,
    "next": following,
    "subscribe": subscribe,
    "unsubscribe": unsubscribe,
    "trigger": trigger,
    "disconnect": disconnect,
}


serve(DOES)
