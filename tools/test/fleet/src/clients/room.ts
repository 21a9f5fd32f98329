import type { Change, Stay, Watch } from '../model/check-presence.js';
import type { Node } from '../nodes/node.js';
import type { Random } from '../random.js';
import { now, sleep } from '../wait.js';
import { type Frame, Socket } from './socket.js';

const USERS = 6;
const PAUSE_MS = 250;
const WATCHER = 'watcher-';

interface OpenStay {
  user: string;
  gateway: string;
  confirmedAtMs: number | null;
  endedAtMs: number | null;
  socket: Socket | null;
}

interface OpenWatch extends Watch {
  readonly changes: Change[];
  initial: readonly string[];
  isOver: boolean;
  socket: Socket | null;
}

/** A presence channel: users who come and go on several nodes, and one watcher on each node. */
export class Room {
  readonly #stays: OpenStay[] = [];
  readonly #watches: OpenWatch[] = [];
  #isDone = false;
  #loop: Promise<void> = Promise.resolve();

  constructor(
    readonly channel: string,
    private readonly gateways: readonly Node[],
    private readonly random: Random,
  ) {}

  get stays(): readonly Stay[] {
    return this.#stays;
  }

  /** Those whose connection lasted. */
  get watches(): readonly Watch[] {
    return this.#watches.filter(({ isOver }) => !isOver);
  }

  /** Ids of everybody there, watchers included. */
  get everybody(): string[] {
    const users = this.#stays
      .filter(({ confirmedAtMs, endedAtMs }) => confirmedAtMs !== null && endedAtMs === null)
      .map(({ user }) => user);
    return [...new Set([...users, ...this.watches.map(({ name }) => name)])].sort();
  }

  /** Resolves when all watchers watch; users begin to come and go. */
  async begin(): Promise<void> {
    for (const [index, gateway] of this.gateways.entries())
      await this.#watch(`${WATCHER}${index + 1}`, gateway);
    this.#loop = this.#move();
  }

  /** Resolves when nobody moves any more. */
  async rest(): Promise<void> {
    this.#isDone = true;
    await this.#loop;
  }

  /** Everybody goes; watchers for good. */
  hangUp(): void {
    for (const stay of this.#stays) leave(stay);
    for (const { socket } of this.#watches) socket?.vanish();
  }

  close(): void {
    this.#isDone = true;
    for (const { socket } of [...this.#stays, ...this.#watches]) socket?.vanish();
  }

  async #watch(name: string, gateway: Node): Promise<void> {
    const watch: OpenWatch = {
      name,
      gateway: gateway.name,
      initial: [],
      changes: [],
      isOver: false,
      socket: null,
    };
    const socket = await Socket.open(gateway.port, (frame) => this.#told(watch, frame));
    watch.socket = socket;
    void socket.ended.then(() => (watch.isOver = true));
    this.#watches.push(watch);
    await socket.subscribe(this.channel, name);
  }

  #told(watch: OpenWatch, { event, channel, data }: Frame): void {
    if (channel !== this.channel) return;
    const content = JSON.parse(String(data)) as { user_id?: string; presence?: { ids: string[] } };
    if (event === 'pusher_internal:subscription_succeeded') {
      watch.initial = (content.presence?.ids ?? []).filter(isUser);
    }
    const user = content.user_id ?? '';
    if (!isUser(user)) return;
    if (event === 'pusher_internal:member_added') watch.changes.push({ user, what: 'added' });
    if (event === 'pusher_internal:member_removed') watch.changes.push({ user, what: 'removed' });
  }

  async #move(): Promise<void> {
    while (!this.#isDone) {
      const user = `user-${this.random.between(1, USERS)}`;
      const here = this.#stays.filter((stay) => stay.user === user && stay.endedAtMs === null);
      const [first] = here;
      if (first === undefined || (here.length === 1 && this.random.chance(0.4))) await this.#come(user);
      else leave(first);
      await sleep(this.random.between(PAUSE_MS / 2, PAUSE_MS * 1.5));
    }
  }

  async #come(user: string): Promise<void> {
    const gateway = this.random.pick(this.gateways);
    if (!gateway.isRunning) return;
    const stay: OpenStay = {
      user,
      gateway: gateway.name,
      confirmedAtMs: null,
      endedAtMs: null,
      socket: null,
    };
    this.#stays.push(stay);
    try {
      const socket = await Socket.open(gateway.port, () => {});
      stay.socket = socket;
      void socket.ended.then(() => leave(stay));
      // Everybody may have been told to go while it was opened.
      if (stay.endedAtMs !== null) return socket.vanish();
      await socket.subscribe(this.channel, user);
      stay.confirmedAtMs = now();
    } catch {
      leave(stay);
    }
  }
}

const isUser = (user: string): boolean => !user.startsWith(WATCHER);

function leave(stay: OpenStay): void {
  stay.endedAtMs ??= now();
  stay.socket?.vanish();
}
