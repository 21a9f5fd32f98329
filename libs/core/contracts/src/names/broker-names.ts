/** Every address a driver of the broker speaks to. */
export interface BrokerNames {
  /** The shared data plane: every gateway listens. */
  readonly broadcast: string;
  readonly requests: string;
  /** Answers to requests without a reply address of their own. */
  readonly responses: string;
  /** Small messages for every gateway. */
  readonly control: string;
  /** Announcements of history-writers. */
  readonly writers: string;
  /** Messages for one gateway. */
  node(nodeId: string): string;
  /** Private answers; NATS has inboxes of its own for that. */
  reply(id: string): string;
  /** The data plane of one channel. */
  channel(appId: string, channel: string): string;
  /** A pattern for every channel of an app. */
  allChannels(appId: string): string;
  /** Commit requests of one lane. */
  commit(lane: number): string;
  /** Read requests of one lane. */
  read(lane: number): string;
}
