package pgserver

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/ory/dockertest/v3"
	dc "github.com/ory/dockertest/v3/docker"
)

//go:embed guard.sh
var guardScript string

const (
	containerLabel = "org.seathold.throwaway"
	containerPort  = "5432/tcp"
	// containerLife is the net below the guard: no run takes this long.
	containerLife = 24 * time.Hour

	pullMax  = 5 * time.Minute
	guardMax = 15 * time.Second
)

// container is a server in Docker.
type container struct {
	pool     *dockertest.Pool
	resource *dockertest.Resource
	leash    *io.PipeWriter // the guard's stdin
	log      *tail
	ended    chan struct{} // closed when the container's log has ended
}

// startContainer starts a server in Docker. The image is pulled where it is absent.
func startContainer(ctx context.Context, image string) (instance, error) {
	pool, err := dockertest.NewPool("")
	if err != nil {
		return instance{}, fmt.Errorf("find Docker daemon: %w", err)
	}
	if err := ping(ctx, pool.Client); err != nil {
		return instance{}, fmt.Errorf("ask Docker daemon at %s: %w", pool.Client.Endpoint(), err)
	}
	if err := pull(ctx, pool.Client, image); err != nil {
		return instance{}, fmt.Errorf("pull image %s, which %s can replace: %w", image, settingImage, err)
	}
	removeStale(ctx, pool.Client)
	return runContainer(ctx, pool, image)
}

func ping(ctx context.Context, client *dc.Client) error {
	ctx, cancel := context.WithTimeout(ctx, askMax)
	defer cancel()
	return client.PingWithContext(ctx)
}

// pull gets the image unless it is there. dockertest would, too, but without a limit.
func pull(ctx context.Context, client *dc.Client, image string) error {
	_, err := client.InspectImage(image)
	if !errors.Is(err, dc.ErrNoSuchImage) {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, pullMax)
	defer cancel()
	// No InactivityTimeout: on a socket the client takes it for the limit of the whole pull.
	return client.PullImage(dc.PullImageOptions{Repository: image, Context: ctx}, dc.AuthConfiguration{})
}

func runContainer(ctx context.Context, pool *dockertest.Pool, image string) (instance, error) {
	host := daemonHost(pool.Client.Endpoint())
	u, password := startedURL(host, "0") // the port is known once it runs
	resource, err := pool.RunWithOptions(runOptions(image, host, password), func(c *dc.HostConfig) {
		c.AutoRemove = true
		c.Tmpfs = map[string]string{"/seathold": ""}
	})
	if err != nil {
		return instance{}, fmt.Errorf("run container of %s: %w", image, err)
	}
	c := &container{pool: pool, resource: resource, log: &tail{}, ended: make(chan struct{})}
	u.Host = strings.TrimSuffix(u.Host, "0") + resource.GetPort(containerPort)
	if err := c.settle(ctx, u); err != nil {
		return instance{}, errors.Join(err, c.stop())
	}
	id := resource.Container.ID
	origin := fmt.Sprintf("container %.12s of %s", id, image)
	return instance{url: u, origin: origin, stop: c.stop, container: id}, nil
}

// settle sees that the container ends with us, then waits until its server answers.
func (c *container) settle(ctx context.Context, u *url.URL) error {
	if err := c.guard(ctx); err != nil {
		return fmt.Errorf("guard container: %w", err)
	}
	if err := c.resource.Expire(uint(containerLife.Seconds())); err != nil {
		return fmt.Errorf("limit container's life: %w", err)
	}
	follow, cancel := context.WithCancel(ctx)
	defer cancel()
	go c.follow(follow)
	return ready(ctx, u, c.ended, c.log)
}

func runOptions(image, host, password string) *dockertest.RunOptions {
	publish := dc.PortBinding{} // on all of a distant daemon's addresses
	if host == loopback {
		publish.HostIP = loopback
	}
	cmd := []string{"postgres"}
	for _, option := range options {
		cmd = append(cmd, "-c", option)
	}
	repository, tag := splitImage(image)
	return &dockertest.RunOptions{
		Repository: repository,
		Tag:        tag,
		Cmd:        cmd,
		Env: []string{
			"POSTGRES_PASSWORD=" + password,
			"POSTGRES_INITDB_ARGS=--encoding=UTF8 --locale=C --no-sync",
			"PGDATA=/seathold/data", // in memory
		},
		Labels:       map[string]string{containerLabel: "true"},
		PortBindings: map[dc.Port][]dc.PortBinding{containerPort: {publish}},
	}
}

// splitImage cuts an image's name where dockertest puts a colon between its parts.
func splitImage(image string) (repository, tag string) {
	if at := strings.LastIndex(image, ":"); at > strings.LastIndex(image, "/") {
		return image[:at], image[at+1:]
	}
	return image, "latest"
}

const loopback = "127.0.0.1"

// daemonHost is where ports that a daemon publishes are reached.
func daemonHost(endpoint string) string {
	u, err := url.Parse(endpoint)
	if err != nil || u.Hostname() == "" {
		return loopback // a socket
	}
	return u.Hostname()
}

// guard runs guard.sh in the container and hears it say that it guards.
func (c *container) guard(ctx context.Context) error {
	exec, err := c.pool.Client.CreateExec(dc.CreateExecOptions{
		Container:    c.resource.Container.ID,
		Cmd:          []string{"sh", "-c", guardScript},
		AttachStdin:  true,
		AttachStdout: true,
	})
	if err != nil {
		return err
	}
	stdin, leash := io.Pipe()
	heard := &flag{raised: make(chan struct{})}
	if _, err := c.pool.Client.StartExecNonBlocking(exec.ID, dc.StartExecOptions{
		InputStream: stdin, OutputStream: heard,
	}); err != nil {
		return err
	}
	c.leash = leash
	limit := time.NewTimer(guardMax)
	defer limit.Stop()
	select {
	case <-heard.raised:
		return nil
	case <-limit.C:
		return fmt.Errorf("no word from it in %s", guardMax)
	case <-ctx.Done():
		return ctx.Err()
	}
}

// flag is raised by the first write.
type flag struct {
	once   sync.Once
	raised chan struct{}
}

func (f *flag) Write(p []byte) (int, error) {
	f.once.Do(func() { close(f.raised) })
	return len(p), nil
}

// follow reads the container's log until it ends, with the container or with ctx.
func (c *container) follow(ctx context.Context) {
	err := c.pool.Client.Logs(dc.LogsOptions{
		Context: ctx, Container: c.resource.Container.ID, Follow: true,
		Stdout: true, OutputStream: c.log, Stderr: true, ErrorStream: c.log,
	})
	switch {
	case ctx.Err() != nil: // nobody waits any more
	case err != nil:
		fmt.Fprintf(c.log, "(its log can't be read: %v)", err)
	default:
		close(c.ended)
	}
}

// stop removes the container, which may have removed itself.
func (c *container) stop() error {
	err := c.pool.Purge(c.resource)
	if c.leash != nil {
		c.leash.Close()
	}
	if err != nil && !goneByItself(err) {
		return fmt.Errorf("remove container %.12s: %w", c.resource.Container.ID, err)
	}
	return nil
}

// goneByItself says that a container was removed, or is being removed, since it ended.
func goneByItself(err error) bool {
	if missing := (*dc.NoSuchContainer)(nil); errors.As(err, &missing) {
		return true
	}
	answer := (*dc.Error)(nil)
	return errors.As(err, &answer) && answer.Status == http.StatusConflict
}

// removeStale removes containers of ours that outlived every run, by the daemon's clock, such as
// one whose owner was killed before it was guarded. One that can't be removed stays.
func removeStale(ctx context.Context, client *dc.Client) {
	info, err := client.Info()
	if err != nil {
		return
	}
	now, err := time.Parse(time.RFC3339Nano, info.SystemTime)
	if err != nil {
		return
	}
	found, err := client.ListContainers(dc.ListContainersOptions{
		All: true, Context: ctx, Filters: map[string][]string{"label": {containerLabel}},
	})
	if err != nil {
		return
	}
	for _, c := range found {
		if time.Unix(c.Created, 0).Add(containerLife).Before(now) {
			_ = client.RemoveContainer(dc.RemoveContainerOptions{ID: c.ID, Force: true, RemoveVolumes: true, Context: ctx})
		}
	}
}
