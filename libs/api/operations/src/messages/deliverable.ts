import type { Config } from '@carillon/config';
import { deliveredExtras, type ExtrasRules, WireNames } from '@carillon/protocol';
import type { Caller } from '../caller.js';

/** What of a publisher's `extras` is delivered, whoever that is. */
export const extrasRules = ({
  ephemeral,
  echo_control,
  protocol,
}: Pick<Config, 'echo_control' | 'ephemeral' | 'protocol'>): ExtrasRules => ({
  ephemeralEnabled: ephemeral.enabled,
  echoControlEnabled: echo_control.enabled,
  names: new WireNames(protocol.vendor_prefix),
});

/** What receivers get of a caller's `extras`; null: nothing. */
export const deliverable = (
  { setsHeaders }: Pick<Caller, 'setsHeaders'>,
  extrasText: string | null,
  rules: ExtrasRules,
): string | null =>
  extrasText === null || setsHeaders === true ? extrasText : deliveredExtras(extrasText, rules);
