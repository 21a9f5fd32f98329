/** What dead letters call the stage of deliveries of a provider. */
export const deliveryStage = (provider: string): string => `delivery_jobs_${provider}`;
