import type { Telemetry, TelemetryParts } from './telemetry-parts.js';

/** Begins to export, or does nothing when it is off. The libraries are loaded only when it is on. */
export async function openTelemetry(parts: TelemetryParts): Promise<Telemetry | null> {
  if (!parts.config.enabled) return null;
  const { exportTelemetry } = await import('./exporting.js');
  return exportTelemetry(parts);
}
