import type { Database, SqlSession } from '@carillon/database';
import { PostgresHistoryStore } from '../src/index.js';
import { NOW_MS } from './scene.js';

const SPREAD = { records: 2, forever: 2, messages: 2 };

/** First statements of a batch decided on remembered state. */
export const AT_ONCE = ['with held as'];

/** A database that records the first words of all statements. */
export function watched(database: Database) {
  const asked: string[] = [];
  const over = (session: SqlSession): SqlSession => ({
    query: (sql, ...more) => {
      asked.push(sql.replace(/\s+/g, ' ').trim().split(' ').slice(0, 3).join(' '));
      return session.query(sql, ...more);
    },
  });
  const seen: Database = {
    dialect: database.dialect,
    connect: () => database.connect(),
    health: () => database.health(),
    close: () => database.close(),
    place: (name) => database.place(name),
    entities: (work) => database.entities(work),
    query: over(database).query,
    transaction: (work, setup) =>
      database.transaction((session) => work({ ...over(session), last: () => session.last() }), setup),
  };
  return {
    store: new PostgresHistoryStore(seen, {
      prefix: 'service_history',
      spread: SPREAD,
      now: () => NOW_MS,
    }),
    asked: () => asked.splice(0),
  };
}
