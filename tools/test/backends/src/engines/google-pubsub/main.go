// The in-memory Pub/Sub server of Google's Go client, on 127.0.0.1 and the port given as the only argument. Pulls are
// answered from it every few milliseconds: its own streams carry about one message in 10 ms.
package main

import (
	"context"
	"log"
	"net"
	"os"
	"time"

	pb "cloud.google.com/go/pubsub/v2/apiv1/pubsubpb"
	"cloud.google.com/go/pubsub/v2/pstest"
	"google.golang.org/grpc"
	"google.golang.org/protobuf/proto"
)

const (
	pollInterval    = 3 * time.Millisecond
	longestPull     = 150 * time.Millisecond
	maxRequestBytes = 16 << 20
	maxStreamBytes  = 1 << 20
	maxPulled       = 1000
)

type server struct {
	*pstest.GServer
}

func pause(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(pollInterval):
		return nil
	}
}

func (s *server) pullNow(ctx context.Context, subscription string, most int32) (*pb.PullResponse, error) {
	request := &pb.PullRequest{Subscription: subscription, MaxMessages: most}
	request.ReturnImmediately = true
	return s.GServer.Pull(ctx, request)
}

// Pull waits for a message; it ends before clients do, whose cancellation could lose one for as long as a lease.
func (s *server) Pull(ctx context.Context, request *pb.PullRequest) (*pb.PullResponse, error) {
	until := time.Now().Add(longestPull)
	for {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		response, err := s.pullNow(ctx, request.Subscription, request.MaxMessages)
		if err != nil || len(response.ReceivedMessages) > 0 || time.Now().After(until) {
			return response, err
		}
		if err := pause(ctx); err != nil {
			return nil, err
		}
	}
}

// StreamingPull sends what is pulled until the client ends the stream.
func (s *server) StreamingPull(stream pb.Subscriber_StreamingPullServer) error {
	first, err := stream.Recv()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(stream.Context())
	defer cancel()
	go func() {
		defer cancel()
		for s.settle(ctx, first.Subscription, stream) == nil {
		}
	}()
	for {
		response, err := s.pullNow(ctx, first.Subscription, maxPulled)
		if err != nil {
			return err
		}
		if err := send(stream, response.ReceivedMessages); err != nil {
			return err
		}
		if len(response.ReceivedMessages) > 0 {
			continue
		}
		if pause(ctx) != nil {
			return nil
		}
	}
}

// settle takes the acknowledgements of one request of a stream.
func (s *server) settle(ctx context.Context, subscription string, stream pb.Subscriber_StreamingPullServer) error {
	request, err := stream.Recv()
	if err != nil {
		return err
	}
	if len(request.AckIds) > 0 {
		_, err = s.Acknowledge(ctx, &pb.AcknowledgeRequest{Subscription: subscription, AckIds: request.AckIds})
	}
	for i, id := range request.ModifyDeadlineAckIds {
		_, err = s.ModifyAckDeadline(ctx, &pb.ModifyAckDeadlineRequest{
			Subscription:       subscription,
			AckIds:             []string{id},
			AckDeadlineSeconds: request.ModifyDeadlineSeconds[i],
		})
	}
	return err
}

// send splits messages into responses that a client takes.
func send(stream pb.Subscriber_StreamingPullServer, messages []*pb.ReceivedMessage) error {
	for len(messages) > 0 {
		count, bytes := 0, 0
		for count < len(messages) && (count == 0 || bytes < maxStreamBytes) {
			bytes += proto.Size(messages[count])
			count++
		}
		if err := stream.Send(&pb.StreamingPullResponse{ReceivedMessages: messages[:count]}); err != nil {
			return err
		}
		messages = messages[count:]
	}
	return nil
}

func main() {
	if len(os.Args) != 2 {
		log.Fatal("usage: driver PORT")
	}
	listener, err := net.Listen("tcp", "127.0.0.1:"+os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	fake := pstest.NewServerWithAddress("127.0.0.1:0")
	served := &server{&fake.GServer}
	grpcServer := grpc.NewServer(grpc.MaxRecvMsgSize(maxRequestBytes), grpc.MaxSendMsgSize(maxRequestBytes))
	pb.RegisterPublisherServer(grpcServer, served)
	pb.RegisterSubscriberServer(grpcServer, served)
	log.Fatal(grpcServer.Serve(listener))
}
