import type { Config } from '@carillon/config';
import { deliveredExtras, type ExtrasRules, WireNames } from '@carillon/protocol';
import type { Caller } from '../caller.js';

/** Delivered members of a publisher's `extras`. */
export const extrasRules = ({
  ephemeral,
  echo_control,
  protocol,
}: Pick<Config, 'echo_control' | 'ephemeral' | 'protocol'>): ExtrasRules => ({
  ephemeralEnabled: ephemeral.enabled,
  echoControlEnabled: echo_control.enabled,
  names: new WireNames(protocol.vendor_prefix),
});

/** Returns the `extras` delivered to receivers; null: none. */
export const deliverable = (
  { setsHeaders }: Pick<Caller, 'setsHeaders'>,
  extrasText: string | null,
  rules: ExtrasRules,
): string | null =>
  extrasText === null || setsHeaders === true ? extrasText : deliveredExtras(extrasText, rules);
