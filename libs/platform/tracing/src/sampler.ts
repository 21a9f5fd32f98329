import type { SamplerConfigModel } from '@opentelemetry/configuration';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  ParentBasedSampler,
  type Sampler,
  TraceIdRatioBasedSampler,
} from '@opentelemetry/sdk-trace';

/** The sampler of OTEL_TRACES_SAMPLER and OTEL_TRACES_SAMPLER_ARG; by default every trace that its parent samples. */
export function samplerOf(model: SamplerConfigModel | undefined): Sampler {
  if (model?.parent_based) return new ParentBasedSampler({ root: samplerOf(model.parent_based.root) });
  if (model?.always_off) return new AlwaysOffSampler();
  if (model?.trace_id_ratio_based)
    return new TraceIdRatioBasedSampler(model.trace_id_ratio_based.ratio ?? undefined);
  return model === undefined
    ? new ParentBasedSampler({ root: new AlwaysOnSampler() })
    : new AlwaysOnSampler();
}
