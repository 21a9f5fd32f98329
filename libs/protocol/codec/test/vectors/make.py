"""Writes wire-formats.json: frames as bytes, made by the msgpack and protobuf libraries of Python.

pip install msgpack protobuf grpcio-tools
python -m grpc_tools.protoc -I. --python_out=. frame.proto && python make.py
"""
import json
import msgpack
import frame_pb2

FRAMES = [
    {"event": "tick", "channel": "room:1", "data": ["string", "hi"], "message_id": "m-1", "stream_id": "st-1", "serial": 7},
    {"event": "client-x", "channel": "private-a", "data": ["json", '{"a":[1,2.50,"ü"]}']},
    {"event": "client-b", "channel": "private-a", "data": ["binary", "00ff80"]},
    {"event": "a", "channel": "b", "data": ["string", ""], "name": "n", "user_id": "u-17",
     "tags": {"a": "1", "b": "2", "ä": "👍"}, "serial": 9007199254740991},
    {"event": "e" * 40, "data": ["string", "x" * 300], "serial": 128,
     "extras": {"headers": {"big": ["number", 1e300], "flag": ["bool", True], "int": ["number", 3], "s": ["string", "v"]}}},
    {"event": "e", "extras": {"ephemeral": True, "echo": False, "ai": {"transport": {"run-id": "r"}, "codec": {"k": "v"}}}},
    {"event": "e", "data": ["json", "null"], "serial": 4294967296, "message_id": "m" * 64},
]
NAMES = ["event", "channel", "data", "name", "user_id", "tags", "sequence", "conflation_key", "message_id",
         "stream_id", "serial", "idempotency_key", "extras", "delta_sequence", "delta_conflation_key"]


def ordered(value):
    """Order means nothing in a map; the service writes names in ascending order."""
    return {name: ordered(value[name]) for name in sorted(value)} if isinstance(value, dict) else value


def packed(frame):
    values = ordered(frame)
    if "data" in values and values["data"][0] == "binary":
        values["data"] = ["binary", bytes.fromhex(values["data"][1])]
    extras = values.get("extras")
    if extras and "headers" in extras:
        headers = {n: [k, float(v) if k == "number" else v] for n, (k, v) in extras["headers"].items()}
        values["extras"] = ordered({**extras, "headers": headers})
    return msgpack.packb([values.get(name) for name in NAMES])


def proto(frame):
    message = frame_pb2.Frame()
    for name in ("event", "channel", "name", "user_id", "message_id", "stream_id", "serial"):
        if name in frame:
            setattr(message, name, frame[name])
    message.tags.update(frame.get("tags", {}))
    if "data" in frame:
        kind, value = frame["data"]
        setattr(message.data, kind, bytes.fromhex(value) if kind == "binary" else value)
    extras = frame.get("extras", {})
    for name, (kind, value) in extras.get("headers", {}).items():
        setattr(message.extras.headers[name], kind, value)
    for name in ("ephemeral", "echo"):
        if name in extras:
            setattr(message.extras, name, extras[name])
    for part, values in extras.get("ai", {}).items():
        getattr(message.extras.ai, part).update(values)
    return message.SerializeToString(deterministic=True)


with open("wire-formats.json", "w", encoding="utf-8") as file:
    vectors = [{"frame": one, "messagepack": packed(one).hex(), "protobuf": proto(one).hex()} for one in FRAMES]
    json.dump(vectors, file, indent=1, ensure_ascii=False)
    file.write("\n")
