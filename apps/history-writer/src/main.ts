import { WriterModule } from '@carillon/commit';
import { FABRIC_DRIVERS, FabricModule } from '@carillon/fabric';
import { HISTORY_BACKENDS, HistoryStoreModule, PurgeModule } from '@carillon/history-store';
import { OpsApiModule } from '@carillon/ops-api';
import { bootstrap } from '@carillon/runtime';

await bootstrap({
  process: 'history-writer',
  drivers: { 'adapter.driver': FABRIC_DRIVERS, 'history.backend': HISTORY_BACKENDS },
  modules: (config) => [
    FabricModule,
    HistoryStoreModule,
    WriterModule,
    PurgeModule,
    OpsApiModule.forWorker(config),
  ],
});
