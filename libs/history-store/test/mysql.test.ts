import { engine } from '@carillon/engines';
import { MysqlHistoryStore, mysqlTables } from '../src/index.js';
import { conformance } from './conformance.js';
import { databasesOf, NOW_MS, settings } from './scene.js';

conformance('mysql', async () => {
  const { url, end } = await (await engine('mariadb')).isolate();
  const prefix = 'service_history';
  const database = databasesOf(settings('mysql', url)).use('mysql', [mysqlTables(prefix)]);
  const store = new MysqlHistoryStore(database, { prefix, now: () => NOW_MS });
  await store.connect();
  return {
    store,
    close: async () => {
      await database.close();
      await end();
    },
  };
});
