/** Push in one process, to FCM without asking it. */
export const DRY_PUSH = {
  env: {
    PUSH_ALLOW_MEMORY_DRIVERS: 'true',
    PUSH_CREDENTIAL_ENCRYPTION_KEY: 'a master key',
    PUSH_FCM_ENABLED: 'true',
    FCM_PROVIDER_TOKEN: 'static-fcm-token',
    FCM_PROJECT_ID: 'a-project',
  },
  config: { dry_run: true },
} as const;
