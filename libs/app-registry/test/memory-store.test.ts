import { MemoryAppStore } from '../src/drivers/memory.js';
import { appStoreConformance } from './conformance.js';
import { RemoteStore } from './remote-store.js';

appStoreConformance('memory', async () => new MemoryAppStore());
// The double that replaces a database in tests has to behave like one.
appStoreConformance('of the tests', async () => withMarks(new RemoteStore()));

function withMarks(store: RemoteStore): RemoteStore {
  const { create, update } = RemoteStore.prototype;
  store.create = async (record) => {
    await create.call(store, record);
    store.written.push(record.id);
  };
  store.update = async (record, ifRevision) => {
    await update.call(store, record, ifRevision);
    store.written.push(record.id);
  };
  return store;
}
