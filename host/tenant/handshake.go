package tenant

import (
	"errors"
	"net/rpc"

	"github.com/hashicorp/go-plugin"
)

// argument makes a process a worker. It looks like a flag, so that a binary
// whose main does not begin with Main ends with a complaint.
const argument = "--wasmill-worker"

// printsTo is the file descriptor that a worker's sinks print to. Standard
// output belongs to the handshake, standard error to what is logged.
const printsTo = 3

// handshake is what both sides must agree about. The version is of wire.go;
// since both are one binary, it only ever differs by a mistake.
var handshake = plugin.HandshakeConfig{ProtocolVersion: 1, MagicCookieKey: "WASMILL_WORKER", MagicCookieValue: "5a7d2c61"}

// service is the name of what a worker serves.
const service = "job"

// jobPlugin is a worker's service for go-plugin: the receiver of calls on
// the one side, the client on the other.
type jobPlugin struct{ server *server }

func (p *jobPlugin) Server(*plugin.MuxBroker) (any, error) {
	if p.server == nil {
		return nil, errors.New("this process is no worker")
	}
	return p.server, nil
}

func (p *jobPlugin) Client(_ *plugin.MuxBroker, c *rpc.Client) (any, error) { return c, nil }
