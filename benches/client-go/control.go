package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Phase is a period of time, in seconds: wall time, processor time of this process, and of the
// replay server.
type Phase struct {
	Elapsed   float64 `json:"elapsed"`
	Processor float64 `json:"processor"`
	Server    float64 `json:"server"`
}

// Quantiles are durations, in seconds.
type Quantiles struct {
	P50 float64 `json:"p50"`
	P99 float64 `json:"p99"`
}

func quantiles(nanos []uint64) Quantiles {
	slices.Sort(nanos)
	at := func(percent int) float64 {
		if len(nanos) == 0 {
			return 0
		}
		return float64(nanos[min(len(nanos)*percent/100, len(nanos)-1)]) / 1e9
	}
	return Quantiles{P50: at(50), P99: at(99)}
}

// Control sends commands to the replay server over a separate connection.
type Control struct {
	server string
	client *http.Client
}

func NewControl(server string) *Control {
	return &Control{server: server, client: &http.Client{Transport: &http.Transport{}}}
}

// ask sends a command, and returns its answer.
func ask[T any](c *Control, order string) (answer T, err error) {
	response, err := c.client.Get("http://" + c.server + "/-/" + order)
	if err != nil {
		return answer, err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return answer, fmt.Errorf("the server does not %s: %s", order, response.Status)
	}
	// To its end, so that the connection is used again.
	body, err := io.ReadAll(response.Body)
	if err != nil {
		return answer, err
	}
	return answer, json.Unmarshal(body, &answer)
}

// Resource of the world, with its kind.
type Resource struct {
	Group, Version, Plural, Kind string
}

func (r *Resource) gvr() schema.GroupVersionResource {
	return schema.GroupVersionResource{Group: r.Group, Version: r.Version, Resource: r.Plural}
}

// Lookups are the name and value of a label that a fifth of the objects have, and the nodes of the
// Pods.
type Lookups struct {
	Label []string
	Nodes []string
}

// Clock times a phase.
type Clock struct {
	control   *Control
	began     time.Time
	processor time.Duration
	server    float64
}

func startClock(control *Control) (*Clock, error) {
	server, err := ask[float64](control, "processor-time")
	if err != nil {
		return nil, err
	}
	clock := &Clock{control: control, server: server}
	clock.restart()
	return clock, nil
}

func (c *Clock) restart() {
	c.began, c.processor = time.Now(), clockTime(unix.CLOCK_PROCESS_CPUTIME_ID)
}

func (c *Clock) stop() (Phase, error) {
	elapsed := time.Since(c.began)
	processor := clockTime(unix.CLOCK_PROCESS_CPUTIME_ID) - c.processor
	server, err := ask[float64](c.control, "processor-time")
	if err != nil {
		return Phase{}, err
	}
	return Phase{
		Elapsed:   elapsed.Seconds(),
		Processor: processor.Seconds(),
		Server:    server - c.server,
	}, nil
}

func clockTime(id int32) time.Duration {
	var now unix.Timespec
	if err := unix.ClockGettime(id, &now); err != nil {
		return 0
	}
	return time.Duration(now.Nano())
}

// Memory of this process, in bytes.
type Memory struct{ resident, peak uint64 }

func memory() (Memory, error) {
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return Memory{}, err
	}
	var memory Memory
	for line := range strings.Lines(string(text)) {
		fields := strings.Fields(line)
		if len(fields) < 2 {
			continue
		}
		kibibytes, _ := strconv.ParseUint(fields[1], 10, 64)
		switch fields[0] {
		case "VmRSS:":
			memory.resident = kibibytes * 1024
		case "VmHWM:":
			memory.peak = kibibytes * 1024
		}
	}
	return memory, nil
}

// heap returns the bytes that are in use after a collection, with the stacks of the goroutines.
func heap() uint64 {
	// The second collection frees what the first one finalized.
	runtime.GC()
	runtime.GC()
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return stats.HeapAlloc + stats.StackInuse
}

// wakeUps returns how often a thread of this process woke up after waiting.
func wakeUps() uint64 {
	var usage syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &usage)
	return uint64(usage.Nvcsw)
}

// Quiet period after which all notifications have arrived. client-go does not signal that.
const quiet = 200 * time.Millisecond

// Tally counts notifications, and wakes the measurement at the last one only.
type Tally struct {
	count, goal atomic.Uint64
	reached     chan struct{}
	isTimed     atomic.Bool
	lock        sync.Mutex
	times       []uint64
}

func NewTally() *Tally {
	return &Tally{reached: make(chan struct{}, 1)}
}

func (t *Tally) Increment() {
	if t.isTimed.Load() {
		now := uint64(clockTime(unix.CLOCK_MONOTONIC))
		t.lock.Lock()
		t.times = append(t.times, now)
		t.lock.Unlock()
	}
	if t.count.Add(1) == t.goal.Load() {
		select {
		case t.reached <- struct{}{}:
		default:
		}
	}
}

func (t *Tally) Get() uint64 { return t.count.Load() }

func (t *Tally) Reach(goal uint64) error {
	t.goal.Store(goal)
	deadline := time.After(patience)
	for t.Get() < goal {
		select {
		case <-t.reached:
		case <-deadline:
			return fmt.Errorf("nothing more happens")
		}
	}
	return nil
}

// Settle waits until the count has not changed for the quiet period, and returns the count.
func (t *Tally) Settle() uint64 {
	for count := t.Get(); ; {
		time.Sleep(quiet)
		now := t.Get()
		if now == count {
			return count
		}
		count = now
	}
}

func (t *Tally) BeginTimes(expected int) {
	t.lock.Lock()
	t.times = make([]uint64, 0, expected)
	t.lock.Unlock()
	t.isTimed.Store(true)
}

func (t *Tally) EndTimes() []uint64 {
	t.isTimed.Store(false)
	t.lock.Lock()
	defer t.lock.Unlock()
	return t.times
}
