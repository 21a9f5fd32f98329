import type { AwsPlace } from '@carillon/aws';
import type * as Sdk from '@aws-sdk/client-sns';
import type { SNSClient } from '@aws-sdk/client-sns';
import { QueueUnavailable } from '../../failures.js';
import { answerOf, unavailable } from '../aws/answers.js';
import { outcomesOf } from '../aws/batches.js';

/** Name of the message attribute that subscriptions filter by. */
export const QUEUE_ATTRIBUTE = 'queue';

export interface TopicMessage {
  readonly body: string;
  /** Name of the queue, as text that SNS accepts. */
  readonly queue: string;
  /** Set for FIFO topics only. */
  readonly fifo: { readonly groupId: string; readonly deduplicationId: string } | null;
}

/** Requests to one topic of SNS. All reject with `QueueUnavailable`. */
export class SnsCalls {
  constructor(
    private readonly sdk: typeof Sdk,
    private readonly client: SNSClient,
    private readonly place: AwsPlace,
    private readonly topicArn: string,
  ) {}

  /** Resolves if the topic exists and may be read. */
  async check(): Promise<void> {
    const command = new this.sdk.GetTopicAttributesCommand({ TopicArn: this.topicArn });
    try {
      await this.client.send(command);
    } catch (error) {
      if (!(error instanceof this.sdk.NotFoundException)) throw unavailable(this.place, error);
      const remedy = 'create it or correct queue.sns.topic_arn and queue.sns.region';
      throw new QueueUnavailable(`SNS topic ${this.topicArn} does not exist (NotFound); ${remedy}`);
    }
  }

  /** Publishes at most `BATCH` messages; resolves with the failure of each, null for those that were written. */
  async publish(messages: readonly TopicMessage[]): Promise<readonly (Error | null)[]> {
    const command = new this.sdk.PublishBatchCommand({
      TopicArn: this.topicArn,
      PublishBatchRequestEntries: messages.map(({ body, queue, fifo }, index) => ({
        Id: String(index),
        Message: body,
        MessageAttributes: { [QUEUE_ATTRIBUTE]: { DataType: 'String', StringValue: queue } },
        ...(fifo === null
          ? {}
          : { MessageGroupId: fifo.groupId, MessageDeduplicationId: fifo.deduplicationId }),
      })),
    });
    const { Failed: failed } = await answerOf(this.place, this.client.send(command));
    return outcomesOf(messages.length, failed);
  }

  close(): void {
    this.client.destroy();
  }
}
