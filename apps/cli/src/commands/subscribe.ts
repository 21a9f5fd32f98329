import type { CarillonError, Channel, Filter, SubscribeOptions, TagFilter } from '@carillon/client';
import { type CommandError, unreachable, usageError } from '../program/errors.js';
import type { Invocation } from '../program/invocation.js';
import { durationMs, type Values } from '../program/values.js';
import { socketClient } from '../sockets/client.js';
import { connectionFailure, subscriptionFailure } from '../sockets/failure.js';
import { EventPrinter } from '../sockets/printer.js';
import { timeoutMs } from '../api/deadline.js';

const NORMAL_CLOSURE = 1000;

export async function run(invocation: Invocation): Promise<void> {
  const { values, terminal, signal } = invocation;
  const options = subscribeOptions(values);
  const count = values.integer('count', { min: 1 }) ?? Number.POSITIVE_INFINITY;
  const duration = values.durationMs('duration');
  const printer = new EventPrinter(terminal, values.has('raw'));
  const { url } = await invocation.connection();
  let failed: { readonly error: Error; readonly status: number | null } | null = null;
  const client = await socketClient(invocation, {
    frame: (text) => printer.frame(text),
    failed: (failure) => {
      failed = failure;
    },
  });
  let events = 0;
  let hasConnected = false;
  await new Promise<void>((end, fail) => {
    const timers = [
      setTimeout(() => {
        if (!hasConnected) fail(unreachable(url, 'no answer within --timeout'));
      }, timeoutMs(invocation)),
      ...(duration === undefined ? [] : [setTimeout(end, duration)]),
    ];
    signal.addEventListener('abort', () => end(), { once: true });
    const over = (): void => timers.forEach((timer) => clearTimeout(timer));
    client.on('state', ({ current, reason, retryInMs = 0 }) => {
      const close = { code: reason?.code ?? 0, message: reason?.message ?? '' };
      if (current === 'connected') {
        hasConnected = true;
        printer.notice({ type: 'connected', socket_id: client.socketId ?? '' });
      } else if (current === 'failed' || (current === 'waiting' && !hasConnected)) {
        over();
        fail(connectionFailure(url, close, failed));
      } else if (current === 'waiting') {
        printer.notice({
          type: 'disconnected',
          code: close.code,
          reason: close.message,
          retry_in_ms: retryInMs,
        });
      } else if (current === 'disconnected') over();
    });
    for (const name of values.args) {
      const channel = client.channel(name);
      follow(channel, options, printer, {
        event: () => {
          events += 1;
          if (events >= count) end();
        },
        isOver: () => events >= count,
        refused: fail,
      });
      channel.subscribe(options);
    }
    client.connect();
  }).finally(() => client.disconnect());
  printer.notice({ type: 'closed', events, code: NORMAL_CLOSURE });
}

interface Listeners {
  event(): void;
  isOver(): boolean;
  refused(error: CommandError): void;
}

function follow(
  channel: Channel,
  options: SubscribeOptions,
  printer: EventPrinter,
  listeners: Listeners,
): void {
  const { name } = channel;
  let isRewinding = options.rewind !== undefined;
  channel.on('subscribed', () => printer.notice({ type: 'subscribed', channel: name }));
  channel.on('rewound', () => {
    isRewinding = false;
  });
  channel.on('recovery', (recovery) =>
    printer.notice(
      recovery.recovered
        ? { type: 'recovered', channel: name, replayed: recovery.replayed }
        : { type: 'gap', channel: recovery.channel ?? name, code: recovery.code },
    ),
  );
  channel.on('error', (error: CarillonError) => {
    if (channel.state === 'failed') listeners.refused(subscriptionFailure(error));
  });
  channel.presence.on('enter', ({ id }) =>
    printer.notice({ type: 'member_added', channel: name, user_id: id }),
  );
  channel.presence.on('leave', ({ id }) =>
    printer.notice({ type: 'member_removed', channel: name, user_id: id }),
  );
  channel.bindAll((message) => {
    if (listeners.isOver()) return;
    printer.event(message, isRewinding);
    listeners.event();
  });
}

function subscribeOptions(values: Values): SubscribeOptions {
  const rewind = values.text('rewind');
  const events = values.texts('event');
  const filter = filterOf(values.json('filter'));
  const all: Filter = { ...filter, ...(events.length === 0 ? {} : { events }) };
  return {
    ...(Object.keys(all).length === 0 ? {} : { filter: all }),
    ...(rewind === undefined ? {} : { rewind: rewindOf(rewind) }),
  };
}

function rewindOf(text: string): number | { readonly seconds: number } {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  return { seconds: Math.max(1, Math.round(durationMs(text, '--rewind') / 1000)) };
}

/** A whole filter, or only its condition on tags. */
function filterOf(value: unknown): Filter {
  if (value === undefined) return {};
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw usageError('--filter is not an object');
  const isCompound = ['events', 'tags', 'expression'].some((name) => name in value);
  return isCompound ? value : { tags: value as TagFilter };
}
