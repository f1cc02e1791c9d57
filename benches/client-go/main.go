// Measures client-go's SharedInformer like the other peers: one sync, one relist, one stream of
// events, latency and reads. Prints a line of JSON. Corresponds to ../src/measure.rs.
//
// client-go's own variable KUBE_FEATURE_WatchListClient selects streaming lists.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
)

// Paced events of ../src/serve/world.rs.
const pacedEvents = 1000

// Maximum duration of a step.
const patience = 120 * time.Second

// Sample has the members of ../src/sample.rs.
type Sample struct {
	Sync                Phase     `json:"sync"`
	Relist              Phase     `json:"relist"`
	Events              Phase     `json:"events"`
	Resident            uint64    `json:"resident"`
	SyncPeak            uint64    `json:"sync_peak"`
	RelistPeak          uint64    `json:"relist_peak"`
	RelistNotifications uint64    `json:"relist_notifications"`
	Latency             Quantiles `json:"latency"`
	Reads               Reads     `json:"reads"`
}

func main() {
	if len(os.Args) < 3 || os.Args[1] != "measure" {
		fail(fmt.Errorf("usage: measure PEER --server ADDRESS --objects N --events N"))
	}
	flags := flag.NewFlagSet("measure", flag.ExitOnError)
	server := flags.String("server", "", "where the world is served")
	objects := flags.Int("objects", 0, "how many Pods there are")
	events := flags.Int("events", 0, "how many events to ask for")
	flags.Parse(os.Args[3:])
	sample, err := measure(os.Args[2], *server, *objects, *events)
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

// start creates an informer with one handler and runs it until the process ends.
func start(peer, server string, tally *Tally) (cache.SharedIndexInformer, cache.ResourceEventHandlerRegistration, error) {
	config := &rest.Config{Host: "http://" + server, QPS: -1}
	if strings.Contains(peer, "protobuf") {
		config.ContentType = "application/vnd.kubernetes.protobuf"
		config.AcceptContentTypes = "application/vnd.kubernetes.protobuf,application/json"
	} else {
		config.ContentType = "application/json"
	}
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return nil, nil, err
	}
	factory := informers.NewSharedInformerFactory(client, 0)
	pods := factory.Core().V1().Pods().Informer()
	registration, err := pods.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    func(any) { tally.Increment() },
		UpdateFunc: func(any, any) { tally.Increment() },
		DeleteFunc: func(any) { tally.Increment() },
	})
	if err != nil {
		return nil, nil, err
	}
	factory.Start(make(chan struct{}))
	return pods, registration, nil
}

func measure(peer, server string, objects, events int) (*Sample, error) {
	control := NewControl(server)
	if _, err := control.ask("reset"); err != nil {
		return nil, err
	}
	before, err := memory()
	if err != nil {
		return nil, err
	}
	sample := &Sample{}
	tally := NewTally()

	clock, err := startClock(control)
	if err != nil {
		return nil, err
	}
	pods, registration, err := start(peer, server, tally)
	if err != nil {
		return nil, err
	}
	if err := poll(registration.HasSynced); err != nil {
		return nil, err
	}
	if sample.Sync, err = clock.stop(); err != nil {
		return nil, err
	}
	synced, err := memory()
	if err != nil {
		return nil, err
	}
	if count := len(pods.GetStore().ListKeys()); count != objects {
		return nil, fmt.Errorf("the cache has %d of %d objects", count, objects)
	}

	shown := tally.Get()
	// The time before a list is the peer's backoff, which does not count.
	clock, err = startClock(control)
	if err != nil {
		return nil, err
	}
	version, err := control.ask("expire")
	if err != nil {
		return nil, err
	}
	clock.restart()
	store := pods.GetStore()
	if err := poll(func() bool { return store.LastStoreSyncResourceVersion() == version }); err != nil {
		return nil, fmt.Errorf("no relist at %s, but %s: %w", version, store.LastStoreSyncResourceVersion(), err)
	}
	if sample.Relist, err = clock.stop(); err != nil {
		return nil, err
	}
	relisted, err := memory()
	if err != nil {
		return nil, err
	}
	// The store has the list's version before the handler has received all notifications of the list.
	// These notifications must not count as events.
	settled := tally.Settle()
	sample.RelistNotifications = settled - shown

	shown = settled
	clock, err = startClock(control)
	if err != nil {
		return nil, err
	}
	if _, err := control.ask("events"); err != nil {
		return nil, err
	}
	if err := tally.Reach(shown + uint64(events)); err != nil {
		return nil, err
	}
	if sample.Events, err = clock.stop(); err != nil {
		return nil, err
	}
	if sample.Latency, err = latency(control, tally); err != nil {
		return nil, err
	}
	if sample.Reads, err = reads(control, tally, pods); err != nil {
		return nil, err
	}
	sample.Resident = less(synced.resident, before.resident)
	sample.SyncPeak = less(synced.peak, before.resident)
	sample.RelistPeak = less(relisted.peak, before.resident)
	return sample, nil
}

func latency(control *Control, tally *Tally) (Quantiles, error) {
	tally.BeginTimes(pacedEvents)
	if err := paced(control, tally); err != nil {
		return Quantiles{}, err
	}
	arrived := tally.EndTimes()
	sent, err := control.sentTimes()
	if err != nil {
		return Quantiles{}, err
	}
	if len(sent) != pacedEvents || len(arrived) != pacedEvents {
		return Quantiles{}, fmt.Errorf("%d events were sent and %d arrived", len(sent), len(arrived))
	}
	for at := range arrived {
		arrived[at] = less(arrived[at], sent[at])
	}
	return quantiles(arrived), nil
}

// paced requests a part of the paced events and waits for them.
func paced(control *Control, tally *Tally) error {
	shown := tally.Get()
	if _, err := control.ask("paced"); err != nil {
		return err
	}
	return tally.Reach(shown + pacedEvents)
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

func nodeOf(object any) ([]string, error) {
	return []string{object.(*corev1.Pod).Spec.NodeName}, nil
}
