import type { AwsPlace } from '@carillon/aws';
import type * as Sdk from '@aws-sdk/client-sqs';
import type { SQSClient } from '@aws-sdk/client-sqs';
import { QueueUnavailable } from '../../failures.js';
import { answerOf, unavailable } from '../aws/answers.js';
import { BATCH, outcomesOf } from '../aws/batches.js';

export interface OutgoingMessage {
  readonly body: string;
  readonly delaySeconds: number;
  /** FIFO queues only. */
  readonly groupId?: string;
  readonly deduplicationId?: string;
}

export interface IncomingMessage {
  readonly id: string;
  readonly receipt: string;
  readonly body: string;
  /** This time included. */
  readonly count: number;
  readonly sentAtMs: number | null;
  readonly groupId: string | null;
}

export interface Receive {
  readonly most: number;
  readonly waitSeconds: number;
  /** Absent: the default of the queue. */
  readonly visibilitySeconds?: number;
}

/** Requests to SQS. All reject with `QueueUnavailable`. */
export class SqsCalls {
  constructor(
    private readonly sdk: typeof Sdk,
    private readonly client: SQSClient,
    private readonly place: AwsPlace,
  ) {}

  /** Returns the URL of a queue; null if it does not exist. */
  async find(name: string): Promise<string | null> {
    try {
      const command = new this.sdk.GetQueueUrlCommand({ QueueName: name });
      return (await this.client.send(command)).QueueUrl ?? null;
    } catch (error) {
      if (error instanceof this.sdk.QueueDoesNotExist) return null;
      throw unavailable(this.place, error);
    }
  }

  async make(name: string, attributes: Record<string, string>): Promise<string> {
    const command = new this.sdk.CreateQueueCommand({ QueueName: name, Attributes: attributes });
    return (await answerOf(this.place, this.client.send(command))).QueueUrl ?? '';
  }

  /** Sends at most `BATCH` messages. Resolves with the error of each; null: sent. */
  async send(url: string, messages: readonly OutgoingMessage[]): Promise<readonly (Error | null)[]> {
    const command = new this.sdk.SendMessageBatchCommand({
      QueueUrl: url,
      Entries: messages.map(({ body, delaySeconds, groupId, deduplicationId }, index) => ({
        Id: String(index),
        MessageBody: body,
        ...(delaySeconds > 0 ? { DelaySeconds: delaySeconds } : {}),
        ...(groupId === undefined
          ? {}
          : { MessageGroupId: groupId, MessageDeduplicationId: deduplicationId }),
      })),
    });
    const { Failed: failed } = await answerOf(this.place, this.client.send(command));
    return outcomesOf(messages.length, failed);
  }

  async receive(url: string, { most, waitSeconds, visibilitySeconds }: Receive) {
    const command = new this.sdk.ReceiveMessageCommand({
      QueueUrl: url,
      MaxNumberOfMessages: Math.min(most, BATCH),
      WaitTimeSeconds: waitSeconds,
      ...(visibilitySeconds === undefined ? {} : { VisibilityTimeout: visibilitySeconds }),
      MessageSystemAttributeNames: ['ApproximateReceiveCount', 'SentTimestamp', 'MessageGroupId'],
    });
    const { Messages: messages = [] } = await answerOf(this.place, this.client.send(command));
    return messages.map(incoming);
  }

  /** A receipt that is known no more is as good as a deleted message. */
  async remove(url: string, receipt: string): Promise<void> {
    await answerOf(
      this.place,
      this.client.send(new this.sdk.DeleteMessageCommand({ QueueUrl: url, ReceiptHandle: receipt })),
    );
  }

  /** Hides messages for so long from now on. Those that are no longer the caller's. */
  async hide(url: string, receipts: readonly string[], seconds: number): Promise<readonly string[]> {
    const lost: string[] = [];
    for (let start = 0; start < receipts.length; start += BATCH) {
      const some = receipts.slice(start, start + BATCH);
      const command = new this.sdk.ChangeMessageVisibilityBatchCommand({
        QueueUrl: url,
        Entries: some.map((receipt, index) => ({
          Id: String(index),
          ReceiptHandle: receipt,
          VisibilityTimeout: seconds,
        })),
      });
      const { Failed: failed = [] } = await answerOf(this.place, this.client.send(command));
      for (const { Id, SenderFault: isOurs, Message: message } of failed) {
        if (isOurs !== true) throw new QueueUnavailable(message ?? 'refused');
        lost.push(some[Number(Id)] ?? '');
      }
    }
    return lost;
  }

  /** About how many messages there are. */
  async count(url: string): Promise<{ ready: number; hidden: number; delayed: number }> {
    const command = new this.sdk.GetQueueAttributesCommand({
      QueueUrl: url,
      AttributeNames: [
        'ApproximateNumberOfMessages',
        'ApproximateNumberOfMessagesNotVisible',
        'ApproximateNumberOfMessagesDelayed',
      ],
    });
    const { Attributes: about } = await answerOf(this.place, this.client.send(command));
    return {
      ready: Number(about?.ApproximateNumberOfMessages ?? 0),
      hidden: Number(about?.ApproximateNumberOfMessagesNotVisible ?? 0),
      delayed: Number(about?.ApproximateNumberOfMessagesDelayed ?? 0),
    };
  }

  close(): void {
    this.client.destroy();
  }
}

function incoming({ MessageId: id, ReceiptHandle: receipt, Body: body, Attributes: about }: Sdk.Message) {
  const message: IncomingMessage = {
    id: id ?? '',
    receipt: receipt ?? '',
    body: body ?? '',
    count: Math.max(1, Number(about?.ApproximateReceiveCount) || 1),
    sentAtMs: Number(about?.SentTimestamp) || null,
    groupId: about?.MessageGroupId ?? null,
  };
  return message;
}
