export { type AppChange, type AppChangeListener } from './app-change.js';
export { App, type AppCredentials } from './app.js';
export { APP_MANAGER_DRIVERS, type AppStoreSources, openAppStore } from './drivers.js';
export { effectiveLimits, type EffectiveLimits, type GlobalLimits } from './effective-limits.js';
export {
  AppChanged,
  AppConflict,
  AppLookupUnavailable,
  AppNotFound,
  AppNotStorable,
  AppStoreUnavailable,
} from './failures.js';
export { APP_REGISTRY, AppRegistryModule } from './module.js';
export {
  type AnnounceAppChange,
  type AppCacheOptions,
  type AppRegistryOptions,
  type RegistryLog,
} from './options.js';
export {
  BrokenApp,
  type AppChangePage,
  type AppPage,
  type AppPageRequest,
  type AppStore,
  type RevisedApp,
  type StoredApp,
} from './port.js';
export { registerInlineApps, type RegisteredApp } from './register-inline-apps.js';
export { AppRegistry, type AppRegistryParts } from './registry.js';
export { type SharedAppCache } from './shared-app-cache.js';
export { type SharedStore } from './shared-store.js';
