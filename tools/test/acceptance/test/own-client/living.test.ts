import type { LiveMessage, LiveMessages } from '@carillon/client';
import { afterEach, describe, expect, it } from 'vitest';
import { Inbox } from '../clients/inbox.js';
import { onServer } from '../harness/every-app.js';
import { tokenFor } from '../harness/signatures.js';
import { openTenant } from '../harness/tenant.js';
import { FORMATS, People, signing } from './people.js';

const shop = openTenant('shop', { channels: { annotations_enabled: true } });
const config = {
  history: { enabled: true, backend: 'memory' },
  versioned_messages: { enabled: true },
  annotations: { enabled: true },
  ai_transport: { enabled: true, channels: [{ prefix: 'ai-' }] },
};

/** Resolves when the messages are so. */
const become = (live: LiveMessages, isSo: (list: readonly LiveMessage[]) => boolean): Promise<void> =>
  new Promise((become) => {
    if (isSo(live.list)) return become();
    const stop = live.on('change', (list) => {
      if (!isSo(list)) return;
      stop();
      become();
    });
  });

const isOver = ([message]: readonly LiveMessage[]): boolean =>
  message?.extras.ai?.transport?.['status'] === 'complete';

onServer('messages that change, by the own client', { tenants: [shop], config }, (node) => {
  const people = new People(node);
  afterEach(() => people.leave());
  const api = signing(node);

  describe.each(FORMATS)('by $name', (format) => {
    it('are seen as they are, whoever changes them', async () => {
      const ada = await people.come('ada', { format, api, isTrusted: true });
      const chat = ada.subscribe(`chat-${format.name}`);
      const live = chat.live();
      const changes = new Inbox<unknown>();
      chat.on('change', ({ event, name, change }) => changes.put([event, name, change?.action]));
      await chat.whenSubscribed();
      const { messageSerial: serial = '' } = await chat.messages.publish('said', 'hello');
      await chat.messages.append(serial, ' wörld');
      await chat.messages.update(serial, { data: 'bye', description: 'typo' });
      expect((await chat.messages.append(serial, '!', { operationId: 'o' })).status).toBe('applied');
      expect((await chat.messages.append(serial, '!', { operationId: 'o' })).status).toBe('duplicate');
      await become(live, ([message]) => message?.raw === 'bye!');
      expect(live.list).toMatchObject([{ serial, name: 'said', isDeleted: false, position: 1 }]);
      for (const action of ['append', 'update', 'append']) {
        expect(await changes.take()).toEqual([`service:message.${action}`, 'said', action]);
      }
      await chat.messages.delete(serial, { clear: ['data'] });
      await become(live, ([message]) => message?.isDeleted === true);
      const { items } = await chat.messages.versions(serial, { direction: 'oldest_first' });
      expect(items.map(({ raw, change }) => [change?.action, raw, change?.isWhole])).toEqual([
        ['create', 'hello', true],
        ['append', ' wörld', false],
        ['update', 'bye', true],
        ['append', '!', false],
        ['delete', undefined, true],
      ]);
      expect(await chat.messages.get(serial)).toMatchObject({ change: { action: 'delete', serial } });
    });

    it('are seen with what is said of them', async () => {
      const token = tokenFor(shop, 'ada', {
        '*': ['subscribe', 'publish', 'annotation-publish', 'annotation-subscribe', 'annotation-delete-own'],
      });
      const ada = await people.come('ada', { format, api, token });
      const chat = ada.subscribe(`liked-${format.name}`, { annotations: true });
      const live = chat.live();
      const raw = new Inbox<unknown>();
      chat.on('annotation', ({ action, name, clientId }) => raw.put([action, name, clientId]));
      await chat.whenSubscribed();
      const { messageSerial: serial = '' } = await chat.messages.publish('said', 'hello');
      const type = 'reactions:distinct.v1';
      const annotation = await chat.annotations.create(serial, { type, name: 'like' });
      const like = { total: 1, clientIds: ['ada'], clipped: false };
      await become(live, ([message]) => message?.summary[type] !== undefined);
      expect(live.get(serial)?.summary).toEqual({ [type]: { like } });
      expect(await raw.take()).toEqual(['annotation.create', 'like', 'ada']);
      expect((await chat.annotations.list(serial)).items).toMatchObject([{ serial: annotation, type }]);
      const late = await people.come('bo', { format });
      const summaries = new Inbox<unknown>();
      late.subscribe(chat.name).on('summary', summaries.put);
      expect(await summaries.take()).toEqual({
        channel: chat.name,
        messageSerial: serial,
        summary: { [type]: { like } },
      });
      await chat.annotations.delete(serial, annotation);
      expect(await raw.take()).toEqual(['annotation.delete', 'like', 'ada']);
      expect(live.get(serial)?.summary).toEqual({ [type]: {} });
    });

    it('grow token by token, in pieces and as a whole', async () => {
      const [pieces, whole] = [
        await people.come('ada', { format }),
        await people.come('bo', { format, appends: 'full', appendRollupMs: 20 }),
      ];
      const name = `ai-${format.name}`;
      const views = [pieces, whole].map((client) => client.subscribe(name).live());
      await Promise.all([pieces, whole].map((client) => client.channel(name).whenSubscribed()));
      const app = people.make('app', { api, isTrusted: true });
      const stream = app.channel(name).ai.stream({ transport: { 'run-id': 'r-1', role: 'assistant' } });
      const tokens = Array.from({ length: 30 }, (_, n) => `${n} ☃ `);
      for (const token of tokens) {
        stream.append(token);
        if (token.startsWith('1')) await stream.flushed();
      }
      await stream.complete();
      const text = tokens.join('');
      await Promise.all(views.map((live) => become(live, ([message]) => message?.raw === text)));
      await Promise.all(views.map((live) => become(live, isOver)));
      expect(views.map(({ list }) => list.length)).toEqual([1, 1]);
    });
  });

  it('are changed and annotated with the token when the client has no api', async () => {
    const rights = [
      'subscribe',
      'publish',
      'message-update-own',
      'annotation-publish',
      'annotation-subscribe',
    ];
    const token = tokenFor(shop, 'ada', { '*': rights });
    const ada = await people.come('ada', { token, appId: shop.id });
    const chat = ada.subscribe('private-by-token');
    const live = chat.live();
    await chat.whenSubscribed();
    const { id } = await chat.send('client-said', 'mine');
    await become(live, (list) => list.length === 1);
    const serial = live.list[0]?.serial ?? id;
    await chat.messages.update(serial, { data: 'still mine' });
    await become(live, ([message]) => message?.raw === 'still mine');
    await chat.annotations.create(serial, { type: 'reactions:distinct.v1', name: 'like' });
    const { items } = await chat.annotations.list(serial);
    expect(items).toMatchObject([{ clientId: 'ada', name: 'like' }]);
    await expect(chat.messages.delete(serial)).rejects.toMatchObject({ status: 403 });
  });

  it('may be changed by whom they belong to, with the rights of the connection', async () => {
    const token = tokenFor(shop, 'ada', { '*': ['subscribe', 'publish', 'message-update-own'] });
    const ada = await people.come('ada', { api, token });
    const chat = ada.subscribe('private-owned');
    const live = chat.live();
    await chat.whenSubscribed();
    void chat.send('client-said', 'mine');
    await become(live, ([message]) => message?.raw === 'mine');
    const [mine] = live.list;
    await chat.messages.update(mine?.serial ?? '', { data: 'still mine' });
    await become(live, ([message]) => message?.raw === 'still mine');
    await expect(chat.messages.delete(mine?.serial ?? '')).rejects.toMatchObject({
      status: 403,
      code: 93002,
    });
  });
});
