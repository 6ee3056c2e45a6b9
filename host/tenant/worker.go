package tenant

import (
	"context"
	"errors"
	"fmt"
	"net/rpc"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"

	"github.com/hashicorp/go-hclog"
	"github.com/hashicorp/go-plugin"

	"github.com/wasmill/wasmill/host"
)

// worker is the supervisor's side of one process.
type worker struct {
	o      *Options
	cmd    *exec.Cmd
	dir    string // of the socket: nobody else gets at it
	group  *group // nil: none could be made
	client *plugin.Client
	rpc    *rpc.Client
	stderr *stderr

	done chan struct{} // closed by end
	wg   sync.WaitGroup

	mu     sync.Mutex
	killed string // mu: why it was killed, "" if it was not
}

// grace is how long a worker may take to end a run that is cancelled.
const grace = 5 * time.Second

// startWorker starts a process and watches it; status gets what it does. An
// error that is a *death may go away when it is tried again. The worker must
// be ended.
func startWorker(o *Options, status func(host.Status)) (w *worker, err error) {
	w = &worker{o: o, stderr: &stderr{w: o.Stderr}, done: make(chan struct{})}
	if w.dir, err = os.MkdirTemp("", "wasmill-worker-"); err != nil {
		return nil, fmt.Errorf("starting the worker: %w", err)
	}
	w.cmd = exec.Command(o.Command[0], append(o.Command[1:len(o.Command):len(o.Command)], argument)...) //nolint:noctx // end kills it
	w.cmd.Env = append(os.Environ(), plugin.EnvUnixSocketDir+"="+w.dir)
	w.cmd.ExtraFiles = []*os.File{o.Stdout}
	w.cmd.SysProcAttr = attributes()
	w.client = plugin.NewClient(&plugin.ClientConfig{
		HandshakeConfig: handshake, Plugins: plugin.PluginSet{service: &jobPlugin{}},
		AllowedProtocols: []plugin.Protocol{plugin.ProtocolNetRPC},
		Cmd:              w.cmd, SkipHostEnv: true, StartTimeout: max(o.Heartbeat, 10*time.Second),
		Stderr: w.stderr, Logger: hclog.NewNullLogger(),
	})
	if err := w.connect(); err != nil {
		if w.cmd.Process == nil {
			w.end()
			return nil, fmt.Errorf("starting the worker: %w", err)
		}
		d := w.end()
		if d.dump == "" {
			first, _, _ := strings.Cut(err.Error(), "\n")
			d.reason = fmt.Sprintf("it did not start as a worker: %s (%v)", strings.TrimRight(first, ": "), w.cmd.ProcessState)
		}
		return nil, d
	}
	w.wg.Go(func() { w.watch(status) })
	return w, nil
}

// connect starts the process, limits it, and gets the connection to it.
func (w *worker) connect() error {
	protocol, err := w.client.Client()
	if err != nil {
		return err
	}
	raw, err := protocol.Dispense(service)
	if err != nil {
		return err
	}
	w.rpc = raw.(*rpc.Client) // what jobPlugin.Client returns
	pid := w.cmd.Process.Pid
	if err := limit(pid, 2*w.o.Memory); err != nil {
		return fmt.Errorf("limiting its memory: %w", err)
	}
	g, err := newGroup(w.o.Memory, w.o.CPUs)
	if err == nil {
		if err = g.add(pid); err != nil {
			err = errors.Join(err, g.close())
		} else {
			w.group = g
		}
	}
	if err != nil {
		w.o.Log.Debug("the worker has no control group", "error", err)
	}
	return nil
}

// call makes a call and waits for its end. If ctx ends before, the worker is
// asked to cancel what it does, and killed if it does not in time. An error
// that is a *death means that the worker has ended, and should be.
func (w *worker) call(ctx context.Context, method string, args, reply any) error {
	c := w.begin(method, args, reply)
	select {
	case <-c.Done:
		c.Done <- c // for wait
	case <-ctx.Done():
		w.post("Cancel")
		t := time.NewTimer(grace)
		defer t.Stop()
		select {
		case <-c.Done:
			c.Done <- c
		case <-t.C:
			w.kill(fmt.Sprintf("it was stopped, and did not end within %v", grace))
		}
	}
	return w.wait(c)
}

// begin begins a call; wait waits for its end.
func (w *worker) begin(method string, args, reply any) *rpc.Call {
	return w.rpc.Go("Plugin."+method, args, reply, make(chan *rpc.Call, 1))
}

func (w *worker) wait(c *rpc.Call) error {
	<-c.Done
	var served rpc.ServerError
	if c.Error == nil || errors.As(c.Error, &served) {
		return c.Error
	}
	return &death{reason: c.Error.Error()} // end knows more
}

// post makes a call that nobody waits for.
func (w *worker) post(method string) {
	w.begin(method, Nothing(0), new(Nothing))
}

// kill ends the process for a reason. The first one counts.
func (w *worker) kill(reason string) {
	w.mu.Lock()
	if w.killed == "" {
		w.killed = reason
	}
	w.mu.Unlock()
	_ = w.cmd.Process.Kill() // fails only if it has ended
}

// end ends the process, waits for it, and says why it has ended if nobody
// asked it to.
func (w *worker) end() *death {
	close(w.done)
	w.wg.Wait()
	w.client.Kill()
	if err := os.RemoveAll(w.dir); err != nil {
		w.o.Log.Warn("the directory of a worker stays", "error", err)
	}
	if w.group != nil {
		if err := w.group.close(); err != nil {
			w.o.Log.Warn("the control group of a worker stays", "error", err)
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	return diagnose(w.killed, w.cmd.ProcessState, w.stderr, w.o.Memory)
}

// cpu returns the CPU time of the process and of those that it has waited
// for. The worker must have been ended.
func (w *worker) cpu() time.Duration {
	if s := w.cmd.ProcessState; s != nil {
		return s.UserTime() + s.SystemTime()
	}
	return 0
}
