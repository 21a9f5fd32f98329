/** Name of a provider's delivery stage in dead letters. */
export const deliveryStage = (provider: string): string => `delivery_jobs_${provider}`;
