import type {
  Claim,
  DeferredItem,
  DeliveryEvent,
  IdempotencyRow,
  PublishLog,
  ScheduledJob,
  StoredDeadLetter,
  StoredPublish,
  StoredShard,
  WorkerRow,
} from '../model/publishes.js';
import type {
  OperatorEvent,
  StoredCredential,
  StoredDevice,
  StoredSubscription,
  StoredTemplate,
} from '../model/resources.js';
import { Rows } from './rows.js';

/** Delivery events that are kept; the oldest goes first. */
const MAX_EVENTS = 100_000;

/** Everything there is, in the memory of the process. */
export class Tables {
  readonly credentials = new Rows<StoredCredential>((row) => [row.appId, row.credentialId]);
  readonly templates = new Rows<StoredTemplate>((row) => [row.appId, row.templateId]);
  readonly devices = new Rows<StoredDevice>((row) => [row.appId, row.deviceId]);
  readonly subscriptions = new Rows<StoredSubscription>((row) => [row.appId, row.channel, row.deviceId]);
  readonly operatorEvents = new Rows<OperatorEvent>((row) => [row.appId, row.eventId]);
  readonly publishes = new Rows<StoredPublish>((row) => [row.appId, row.publishId]);
  readonly logs = new Rows<PublishLog>((row) => [row.appId, row.publishId]);
  readonly shards = new Rows<StoredShard>((row) => [row.appId, row.publishId, row.shardId]);
  /** By publish, since all queries name one. */
  readonly claims = new Map<string, Map<string, Claim & { readonly owner: string | null }>>();
  readonly events = new Rows<DeliveryEvent>((row) => [row.appId, row.publishId, row.eventId]);
  readonly deadLetters = new Rows<StoredDeadLetter>((row) => [row.appId, row.deadLetterId]);
  readonly idempotency = new Rows<IdempotencyRow & { readonly appId: string }>((row) => [row.appId, row.key]);
  readonly scheduled = new Rows<ScheduledJob>((row) => [row.appId, row.jobId]);
  readonly deferred = new Rows<DeferredItem>((row) => [row.id]);
  readonly locks = new Rows<{ appId: string; lockId: string; owner: string; untilMs: number }>((row) => [
    row.appId,
    row.lockId,
  ]);
  readonly quotas = new Rows<{ appId: string; day: string; used: number }>((row) => [row.appId, row.day]);
  readonly installation = new Map<string, string>();
  readonly workers = new Rows<WorkerRow>((row) => [row.workerId]);

  claimsOf(appId: string, publishId: string): Map<string, Claim & { readonly owner: string | null }> {
    const name = JSON.stringify([appId, publishId]);
    let claims = this.claims.get(name);
    if (claims === undefined) {
      claims = new Map();
      this.claims.set(name, claims);
    }
    return claims;
  }

  addEvent(event: DeliveryEvent): boolean {
    const isNew = this.events.add(event);
    if (this.events.size > MAX_EVENTS) this.events.removeWhere(() => true, 1);
    return isNew;
  }

  removePublish({ appId, publishId }: StoredPublish): void {
    const own = (row: { appId: string; publishId: string }): boolean =>
      row.appId === appId && row.publishId === publishId;
    this.publishes.removeWhere(own);
    this.logs.removeWhere(own);
    this.shards.removeWhere(own);
    this.claims.delete(JSON.stringify([appId, publishId]));
  }

  removeDevice(device: StoredDevice): void {
    this.devices.remove(device);
    this.subscriptions.removeWhere(
      ({ appId, deviceId }) => appId === device.appId && deviceId === device.deviceId,
    );
  }
}
