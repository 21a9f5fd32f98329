"""moto's server, with DynamoDB requests serialized and transactions that cost what they touch.

moto copies a whole table for every item of a transaction, and a transaction that fails puts the copy back: it loses what
others wrote meanwhile. Here one request is served at a time, and only the items of the transaction are restored.
"""

import copy
import sys
import threading

from moto.dynamodb import models
from moto.dynamodb.models import DynamoDBBackend
from moto.dynamodb.models.dynamo_type import DynamoType
from moto.dynamodb.models.table import Table
from moto.dynamodb.responses import DynamoHandler
from moto.server import main

ONE_AT_A_TIME = threading.RLock()

call_action = DynamoHandler.call_action
transact_write_items = DynamoDBBackend.transact_write_items


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


models.copy = WithoutTables
DynamoDBBackend.transact_write_items = transact
DynamoHandler.call_action = serialized_action

main(sys.argv[1:])
