import { WebSocket } from 'ws';
import { eventually } from '../harness/eventually.js';

interface Reply {
  readonly id?: number;
  /** Of what the browser tells by itself. */
  readonly method?: string;
  readonly params?: unknown;
  readonly error?: { readonly message: string };
  readonly result?: {
    readonly result: { readonly value?: unknown };
    readonly exceptionDetails?: {
      readonly text: string;
      readonly exception?: { readonly description?: string };
    };
  };
}

/** Runs in the page. */
const hasLoaded = (address: string): boolean =>
  location.href === address && document.readyState === 'complete';

/** A page in a real browser, driven over its DevTools protocol. */
export class Page {
  /** What the browser has told by itself, the latest of each kind. */
  readonly told = new Map<string, unknown>();
  readonly #socket: WebSocket;
  readonly #close: () => Promise<void>;
  readonly #waiting = new Map<number, (reply: Reply) => void>();
  #count = 0;

  private constructor(socket: WebSocket, close: () => Promise<void>) {
    this.#socket = socket;
    this.#close = close;
    socket.on('message', (data: Buffer) => {
      const reply = JSON.parse(data.toString()) as Reply;
      if (reply.id !== undefined) this.#waiting.get(reply.id)?.(reply);
      if (reply.method !== undefined) this.told.set(reply.method, reply.params);
    });
  }

  /** Opens the address in the browser whose DevTools answer at `browser`; resolves when it has loaded. */
  static async open(browser: string, address: string): Promise<Page> {
    const answer = await fetch(`${browser}/json/new?${encodeURI(address)}`, { method: 'PUT' });
    const { id, webSocketDebuggerUrl } = (await answer.json()) as {
      id: string;
      webSocketDebuggerUrl: string;
    };
    const socket = new WebSocket(webSocketDebuggerUrl);
    await new Promise((opened, failed) => socket.once('open', opened).once('error', failed));
    const page = new Page(socket, async () => {
      await fetch(`${browser}/json/close/${id}`);
    });
    await eventually(async () => {
      if (!(await page.run(hasLoaded, address))) throw new Error(`${address} does not load`);
    });
    return page;
  }

  /** Runs the function in the page; what it takes and returns is passed as JSON. It sees nothing of its surroundings. */
  async run<Taken, Value>(work: (taken: Taken) => Promise<Value> | Value, taken: Taken): Promise<Value> {
    const expression = `(${String(work)})(${JSON.stringify(taken)})`;
    const { result } = await this.tell('Runtime.evaluate', {
      expression,
      awaitPromise: true,
      returnByValue: true,
    });
    const thrown = result?.exceptionDetails;
    if (thrown !== undefined) throw new Error(thrown.exception?.description ?? thrown.text);
    return result?.result.value as Value;
  }

  /** Cuts the page off its network, or gives it back. */
  async network(isThere: boolean): Promise<void> {
    await this.tell('Network.enable', {});
    await this.tell('Network.emulateNetworkConditions', {
      offline: !isThere,
      latency: 0,
      downloadThroughput: -1,
      uploadThroughput: -1,
    });
  }

  /** Loads the page again; resolves when that has begun. */
  async reload(): Promise<void> {
    await this.tell('Page.reload', {});
  }

  /** Says something in the words of the DevTools protocol; rejects with what the browser says is wrong. */
  async tell(method: string, params: unknown): Promise<Reply> {
    const id = (this.#count += 1);
    const reply = await new Promise<Reply>((replied) => {
      this.#waiting.set(id, replied);
      this.#socket.send(JSON.stringify({ id, method, params }));
    });
    this.#waiting.delete(id);
    if (reply.error !== undefined) throw new Error(reply.error.message);
    return reply;
  }

  async close(): Promise<void> {
    await this.#close();
    this.#socket.terminate();
  }
}
