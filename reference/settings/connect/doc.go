// Package connect turns settings into the adapters that they name: the database, the queue, the
// senders. What can't be is a settings.Problem.
package connect
