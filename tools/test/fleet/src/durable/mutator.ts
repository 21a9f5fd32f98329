import type { Node } from '../nodes/node.js';
import type { Random } from '../random.js';
import { call } from '../tenant.js';
import { now, sleep } from '../wait.js';
import { type Change, checkText, checkVersions, type Version } from './check-message.js';

/** How long something is tried before the run is said not to settle. */
const GIVE_UP_MS = 60_000;
const RETRY_MS = 100;
const LIMIT = 100;
/** What annotations are of: one that can be made twice without a difference, and one that cannot. */
const FLAG = 'fleet:flag.v1';
const TOTAL = 'fleet:total.v1';

interface Annotation {
  readonly action: string;
  readonly type: string;
  readonly clientId?: string;
  readonly serial: string;
}

/**
 * A backend that changes one message of its own: appends, changes its extras, deletes it softly, and annotates it. Every
 * change has an `op_id` and is sent again, to either api node, until it is accepted.
 */
export class Mutator {
  readonly #changes: Change[] = [];
  readonly #clients = new Set<string>();
  readonly #wrong: string[] = [];
  #path = '';
  #isDone = false;
  #loop: Promise<void> = Promise.resolve();
  #count = 0;
  pauseMs = 0;

  constructor(
    readonly name: string,
    readonly channel: string,
    private readonly apis: readonly Node[],
    private readonly random: Random,
  ) {}

  begin(pauseMs: number): void {
    this.pauseMs = pauseMs;
    this.#loop = this.#run();
  }

  async stop(): Promise<void> {
    this.#isDone = true;
    await this.#loop;
  }

  /** What was accepted so far. */
  get accepted(): number {
    return this.#changes.filter(({ accepted }) => accepted).length;
  }

  async #run(): Promise<void> {
    await this.#create();
    while (!this.#isDone && this.#path !== '') {
      await this.#change();
      await sleep(this.random.between(this.pauseMs / 2, this.pauseMs * 2));
    }
  }

  async #create(): Promise<void> {
    const body = { name: 'note', channel: this.channel, data: '>', message_id: `${this.name}-message` };
    const answer = await this.#until('POST', '/events', body);
    const { channels } = JSON.parse(answer ?? '{}') as {
      channels?: Record<string, { message_serial?: string }>;
    };
    const serial = channels?.[this.channel]?.message_serial;
    if (serial === undefined) this.#wrong.push(`${this.name}: its message was never accepted`);
    else this.#path = `/channels/${encodeURIComponent(this.channel)}/messages/${serial}`;
  }

  async #change(): Promise<void> {
    this.#count += 1;
    const op_id = `${this.name}-${this.#count}`;
    if (this.random.chance(0.2)) return this.#annotate();
    const isAppend = this.random.chance(0.7);
    const fragment = isAppend ? `${this.#count};` : null;
    const change: Change = { fragment, accepted: false };
    this.#changes.push(change);
    const [kind, body]: readonly [string, object] = isAppend
      ? ['append', { data: fragment, op_id }]
      : this.random.chance(0.5)
        ? ['update', { extras: { headers: { n: this.#count } }, op_id }]
        : ['delete', { op_id }];
    change.accepted = (await this.#until('POST', `${this.#path}/${kind}`, body)) !== null;
    if (!change.accepted) this.#wrong.push(`${this.name}: change ${this.#count} was never accepted`);
  }

  async #annotate(): Promise<void> {
    const clientId = `c${this.random.between(1, 9)}`;
    const path = `${this.#path}/annotations`;
    if (this.random.chance(0.5)) await this.#until('POST', path, { type: TOTAL });
    const isAccepted = (await this.#until('POST', path, { type: FLAG, clientId })) !== null;
    if (isAccepted) this.#clients.add(clientId);
  }

  /** The answer once it is accepted; null: it never was. */
  async #until(method: 'POST', path: string, content: object | undefined): Promise<string | null> {
    const body = JSON.stringify(content ?? {});
    const begunMs = now();
    let turn = this.random.between(0, this.apis.length - 1);
    while (now() < begunMs + GIVE_UP_MS) {
      const api = this.apis[turn % this.apis.length];
      const answer =
        api?.isRunning === true ? await call(api.port, method, path, { body }).catch(() => null) : null;
      if (answer?.status === 200) return answer.body;
      if (answer !== null && answer.status !== 503) {
        this.#wrong.push(`${this.name}: ${method} ${path} was answered ${answer.status} ${answer.body}`);
        return null;
      }
      turn += 1;
      await sleep(RETRY_MS);
    }
    return null;
  }

  /** What contradicts what is promised, of the message and of what was annotated to it. */
  async check(sql: (statement: string) => Promise<(string | null)[]>, tables: string): Promise<string[]> {
    if (this.#path === '') return this.#wrong;
    const port = this.apis.find(({ isRunning }) => isRunning)?.port ?? 0;
    const { item } = await this.#read<{ item: Version }>(port, this.#path, {});
    const versions = await this.#versions(port);
    const wrong = [
      ...this.#wrong,
      ...checkText(item.data, this.#changes),
      ...checkVersions(versions, item, this.#changes),
    ];
    wrong.push(...(await this.#checkAnnotations(port, sql, tables)));
    return wrong.map((one) => (one.startsWith(this.name) ? one : `${this.name}: ${one}`));
  }

  async #checkAnnotations(
    port: number,
    sql: (statement: string) => Promise<(string | null)[]>,
    tables: string,
  ): Promise<string[]> {
    const events: Annotation[] = [];
    let from: string | null = null;
    do {
      const query: Record<string, string> = {
        limit: String(LIMIT),
        ...(from === null ? {} : { from_serial: from }),
      };
      const page: { items: Annotation[]; nextCursor: string | null } = await this.#read(
        port,
        `${this.#path}/annotations`,
        query,
      );
      events.push(...page.items);
      from = page.nextCursor;
    } while (from !== null);
    const clients = new Set(events.flatMap(({ type, clientId }) => (type === FLAG ? (clientId ?? []) : [])));
    const total = events.filter(({ type }) => type === TOTAL).length;
    const serial = this.#path.split('/').at(-1) ?? '';
    const [stored] = await sql(
      `select coalesce((select summary->>'total' from ${tables}annotation_summaries where message_serial = '${serial}'
          and type = '${FLAG}'), '0') || ' ' || coalesce((select summary->>'total' from ${tables}annotation_summaries
          where message_serial = '${serial}' and type = '${TOTAL}'), '0')`,
    );
    const wrong = [...this.#clients]
      .filter((client) => !clients.has(client))
      .map((one) => `${one} is not listed`);
    if (stored !== `${clients.size} ${total}`)
      wrong.push(`its summaries say ${String(stored)}, its annotations ${clients.size} ${total}`);
    return wrong;
  }

  async #versions(port: number): Promise<Version[]> {
    const items: Version[] = [];
    let cursor: string | undefined;
    do {
      const query: Record<string, string> = {
        direction: 'oldest_first',
        limit: String(LIMIT),
        ...(cursor === undefined ? {} : { cursor }),
      };
      const page: { items: Version[]; next_cursor?: string } = await this.#read(
        port,
        `${this.#path}/versions`,
        query,
      );
      items.push(...page.items);
      cursor = page.next_cursor;
    } while (cursor !== undefined);
    return items;
  }

  async #read<Answer>(port: number, path: string, query: Record<string, string>): Promise<Answer> {
    const { status, body } = await call(port, 'GET', path, { query });
    if (status !== 200) throw new Error(`GET ${path}: HTTP ${status} ${body}`);
    return JSON.parse(body) as Answer;
  }
}
