"""moto's server, with DynamoDB requests serialized, and transactions and queries that cost what they touch.

moto copies a whole table for every item of a transaction, and a failed transaction puts the copy back: it loses
concurrent writes. Here one request is served at a time, and only the items of the transaction are restored. A query of
moto sorts every item of the table and copies its results; here it sorts one partition and copies nothing. Plain
attributes are encoded without a walk through the model of the API.
"""

import copy
import sys
import threading

from moto.core.serialize import BaseJSONSerializer
from moto.dynamodb import models
from moto.dynamodb.models import table as tables
from moto.dynamodb.models import DynamoDBBackend
from moto.dynamodb.models.dynamo_type import DynamoType
from moto.dynamodb.models.table import Table
from moto.dynamodb.responses import DynamoHandler
from moto.server import main

ONE_AT_A_TIME = threading.RLock()

call_action = DynamoHandler.call_action
transact_write_items = DynamoDBBackend.transact_write_items
query = Table.query
serialize_structure = BaseJSONSerializer._serialize_type_structure


def serialized_action(self):
    with ONE_AT_A_TIME:
        return call_action(self)


class WithoutTables:
    """Stands for the module `copy`, where tables are copied for transactions."""

    @staticmethod
    def deepcopy(value, *rest):
        return value if isinstance(value, Table) else copy.deepcopy(value, *rest)


class TouchedItem:
    """An item as it was before the transaction."""

    def __init__(self, table, operation):
        attributes = operation.get("Item") or operation.get("Key") or {}
        self.table = table
        self.hash = DynamoType(attributes[table.hash_key_attr])
        self.range = DynamoType(attributes[table.range_key_attr]) if table.has_range_key else None
        self.before = copy.deepcopy(table.get_item(self.hash, self.range))

    def restore(self):
        if self.before is None:
            self.table.delete_item(self.hash, self.range)
        elif self.range is None:
            self.table.items[self.hash] = self.before
        else:
            self.table.items[self.hash][self.range] = self.before


def touched_items(backend, transact_items):
    operations = [operation for item in transact_items for operation in item.values()]
    known = [operation for operation in operations if operation.get("TableName") in backend.tables]
    return [TouchedItem(backend.tables[operation["TableName"]], operation) for operation in known]


def transact(self, transact_items):
    touched = touched_items(self, transact_items)
    try:
        transact_write_items(self, transact_items)
    except Exception:
        for item in touched:
            item.restore()
        raise


class WithoutResults:
    """Stands for the module `copy`, where results of queries are copied; they are encoded before the next request."""

    copy = staticmethod(copy.copy)

    @staticmethod
    def deepcopy(value, *rest):
        return value if isinstance(value, list) else copy.deepcopy(value, *rest)


class Partition:
    """Stands for a table while one of its partitions is queried."""

    def __init__(self, table, hash_key):
        self.table = table
        self.hash_key = hash_key

    def __getattr__(self, name):
        return getattr(self.table, name)

    def all_items(self):
        items = self.table.items.get(self.hash_key, {}).values()
        return sorted(items, key=lambda item: item.range_key.value)


def query_partition(self, hash_key, *rest, **named):
    index_name = named["index_name"] if "index_name" in named else rest[6]
    is_partition = index_name is None and self.range_key_attr is not None and self.range_key_type == "S"
    return query(Partition(self, hash_key) if is_partition else self, hash_key, *rest, **named)


def serialize_attribute(self, serialized, value, shape, key):
    if shape.name == "AttributeValue" and isinstance(value, dict) and value.keys() <= {"N", "S"}:
        self._default_serialize(serialized, value, shape, key)
    else:
        serialize_structure(self, serialized, value, shape, key)


BaseJSONSerializer._serialize_type_structure = serialize_attribute
models.copy = WithoutTables
tables.copy = WithoutResults
Table.query = query_partition
DynamoDBBackend.transact_write_items = transact
DynamoHandler.call_action = serialized_action

main(sys.argv[1:])
