// Measures client-go's SharedInformer like the other peers: sync, relist, events, latency and reads.
// Prints a line of JSON. Corresponds to ../src/measure.rs.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"runtime"
	"time"

	"k8s.io/client-go/tools/cache"
)

// Paced events of ../src/serve/world.rs.
const pacedEvents = 1000

// Maximum duration of a step.
const patience = 120 * time.Second

// Duration of the idle period, as in ../src/measure.rs.
const idle = 20 * time.Second

// Sample has the members of ../src/sample.rs.
type Sample struct {
	Sync                Phase      `json:"sync"`
	Resident            uint64     `json:"resident"`
	Heap                *uint64    `json:"heap"`
	SyncPeak            uint64     `json:"sync_peak"`
	Relist              *Phase     `json:"relist"`
	Events              *Phase     `json:"events"`
	ResidentAfterEvents *uint64    `json:"resident_after_events"`
	Latency             *Quantiles `json:"latency"`
	Reads               *Reads     `json:"reads"`
	Tasks               *uint64    `json:"tasks"`
	Connections         *uint64    `json:"connections"`
	Idle                *Phase     `json:"idle"`
	IdleWakeUps         *uint64    `json:"idle_wake_ups"`
}

// Run is a measurement.
type Run struct {
	peer            string
	world           string
	objects, events int
	control         *Control
	tally           *Tally
}

func main() {
	if len(os.Args) == 2 && os.Args[1] == "relations" {
		relations()
		return
	}
	if len(os.Args) < 3 || os.Args[1] != "measure" {
		fail(fmt.Errorf("usage: relations, or measure PEER --server ADDRESS --world KIND --objects N --events N"))
	}
	flags := flag.NewFlagSet("measure", flag.ExitOnError)
	server := flags.String("server", "", "address of the replay server")
	run := Run{peer: os.Args[2], tally: NewTally()}
	flags.StringVar(&run.world, "world", "", "kind of the world")
	flags.IntVar(&run.objects, "objects", 0, "number of objects, or of types")
	flags.IntVar(&run.events, "events", 0, "number of events to request")
	flags.Parse(os.Args[3:])
	run.control = NewControl(*server)
	sample, err := run.measure()
	if err == nil {
		err = json.NewEncoder(os.Stdout).Encode(sample)
	}
	if err != nil {
		fail(err)
	}
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, "error:", err)
	os.Exit(1)
}

// hasRelist reports whether relists are measured, as in ../src/world.rs.
func (r *Run) hasRelist() bool { return r.world != "sustained" }

// hasReads reports whether latency and reads are measured, as in ../src/world.rs.
func (r *Run) hasReads() bool {
	return r.world == "uniform" || r.world == "mixed" || r.world == "file"
}

func (r *Run) measure() (*Sample, error) {
	if _, err := ask[any](r.control, "reset"); err != nil {
		return nil, err
	}
	resources, err := ask[[]Resource](r.control, "resources")
	if err != nil {
		return nil, err
	}
	before, err := memory()
	if err != nil {
		return nil, err
	}
	heapBefore := uint64(0)
	if r.world == "types" {
		heapBefore = heap()
	}
	clock, err := startClock(r.control)
	if err != nil {
		return nil, err
	}
	informers, err := r.start(resources)
	if err != nil {
		return nil, err
	}
	for _, informer := range informers {
		if err := poll(informer.registration.HasSynced); err != nil {
			return nil, err
		}
	}
	sample := &Sample{}
	if sample.Sync, err = clock.stop(); err != nil {
		return nil, err
	}
	synced, err := memory()
	if err != nil {
		return nil, err
	}
	sample.Resident = less(synced.resident, before.resident)
	sample.SyncPeak = less(synced.peak, before.resident)
	if r.world == "types" {
		err := r.rest(sample)
		sample.Heap = new(less(heap(), heapBefore))
		return sample, err
	}

	informer := informers[0].SharedIndexInformer
	if count := len(informer.GetStore().ListKeys()); count != r.objects {
		return nil, fmt.Errorf("the cache has %d of %d objects", count, r.objects)
	}
	if r.hasRelist() {
		if sample.Relist, err = r.relist(informer.GetStore()); err != nil {
			return nil, err
		}
	}
	if sample.Events, err = r.sendEvents(); err != nil {
		return nil, err
	}
	after, err := memory()
	if err != nil {
		return nil, err
	}
	sample.ResidentAfterEvents = new(less(after.resident, before.resident))
	if !r.hasReads() {
		return sample, nil
	}
	if sample.Latency, err = r.latency(); err != nil {
		return nil, err
	}
	sample.Reads, err = r.reads(informer)
	return sample, err
}

// rest counts what the informers hold, and measures them without events.
func (r *Run) rest(sample *Sample) error {
	sample.Tasks = new(uint64(runtime.NumGoroutine()))
	connections, err := ask[uint64](r.control, "connections")
	if err != nil {
		return err
	}
	sample.Connections = &connections
	before := wakeUps()
	clock, err := startClock(r.control)
	if err != nil {
		return err
	}
	time.Sleep(idle)
	phase, err := clock.stop()
	sample.Idle = &phase
	sample.IdleWakeUps = new(wakeUps() - before)
	return err
}

func (r *Run) relist(store cache.Store) (*Phase, error) {
	// The time before a list is the peer's backoff, which does not count.
	clock, err := startClock(r.control)
	if err != nil {
		return nil, err
	}
	version, err := ask[string](r.control, "expire")
	if err != nil {
		return nil, err
	}
	clock.restart()
	if err := poll(func() bool { return store.LastStoreSyncResourceVersion() == version }); err != nil {
		return nil, fmt.Errorf("no relist at %s, but %s: %w", version, store.LastStoreSyncResourceVersion(), err)
	}
	phase, err := clock.stop()
	// The store has the list's version before the handler has received all notifications of the
	// list. These notifications must not count as events.
	r.tally.Settle()
	return &phase, err
}

func (r *Run) sendEvents() (*Phase, error) {
	shown := r.tally.Get()
	clock, err := startClock(r.control)
	if err != nil {
		return nil, err
	}
	if _, err := ask[any](r.control, "events"); err != nil {
		return nil, err
	}
	if err := r.tally.Reach(shown + uint64(r.events)); err != nil {
		return nil, err
	}
	phase, err := clock.stop()
	return &phase, err
}

func (r *Run) latency() (*Quantiles, error) {
	r.tally.BeginTimes(pacedEvents)
	if err := r.paced(); err != nil {
		return nil, err
	}
	arrived := r.tally.EndTimes()
	sent, err := ask[[]uint64](r.control, "sent")
	if err != nil {
		return nil, err
	}
	if len(sent) != pacedEvents || len(arrived) != pacedEvents {
		return nil, fmt.Errorf("%d events were sent and %d arrived", len(sent), len(arrived))
	}
	for at := range arrived {
		arrived[at] = less(arrived[at], sent[at])
	}
	return new(quantiles(arrived)), nil
}

// paced requests a part of the paced events and waits for them.
func (r *Run) paced() error {
	shown := r.tally.Get()
	if _, err := ask[any](r.control, "paced"); err != nil {
		return err
	}
	return r.tally.Reach(shown + pacedEvents)
}

// poll waits for conditions that client-go does not signal.
func poll(done func() bool) error {
	for deadline := time.Now().Add(patience); !done(); {
		if time.Now().After(deadline) {
			return fmt.Errorf("nothing more happens")
		}
		time.Sleep(200 * time.Microsecond)
	}
	return nil
}

func less(from, what uint64) uint64 {
	if what > from {
		return 0
	}
	return from - what
}
