import { APP_MANAGER_DRIVERS, AppRegistryModule } from '@carillon/app-registry';
import { OpsApiModule } from '@carillon/ops-api';
import { bootstrap } from '@carillon/runtime';

await bootstrap({
  process: 'server',
  drivers: { 'app_manager.driver': APP_MANAGER_DRIVERS },
  modules: (config) => [AppRegistryModule, OpsApiModule.forMainListener(config)],
});
