export { type ApartOptions, Databases, type DatabasesParts } from './databases.js';
export { type Explained, explained } from './explained.js';
export {
  DatabaseRejected,
  DatabaseUnavailable,
  type RejectedReason,
  type UnavailableReason,
} from './failures.js';
export { DATABASES, DatabaseModule } from './module.js';
export { isTooOld } from './server-version.js';
export {
  baseline,
  breaking,
  compatible,
  type Migration,
  type MigrationClass,
  type Owned,
  type Place,
  placed,
  type Tables,
} from './migrations/tables.js';
export {
  type Database,
  type QueryOptions,
  type SqlAnswer,
  type SqlDialect,
  type SqlRow,
  type SqlScalar,
  type SqlSession,
  type SqlTransaction,
  type SqlValue,
} from './port.js';
export type { EntityManager, EntitySchemaOptions, MigrationInterface, QueryRunner } from 'typeorm';
