using System.Runtime.CompilerServices;
using Faster.Contracts;
using Faster.Probes;

namespace Faster.Analytics.Subscriptions;

/// <summary>The subscriptions to the tail of one log, which share the shifts of its read-only address.</summary>
/// <remarks>Thread-safe, but each enumeration has one user.</remarks>
internal sealed class LogSubscriptions(LogSource source)
{
    private readonly ReadOnlyShiftTimer _clock = new(source);

    /// <inheritdoc cref="Engines.FasterStore{TSession, TRecord}.SubscribeAsync"/>
    public IAsyncEnumerable<LogEntry<T>> SubscribeAsync<T>(
        SubscribeOptions? options, RecordDecoder<T> decode, CancellationToken cancellationToken)
    {
        options ??= new SubscribeOptions();
        options.Validate();
        ArgumentNullException.ThrowIfNull(decode);
        if (options.CommittedOnly && source.Catalog is null)
        {
            throw new NotSupportedException(
                "A store without a folder makes no commits, so a subscription with SubscribeOptions.CommittedOnly "
                + "would wait indefinitely. Open the store with a path, or subscribe without that option.");
        }

        if (!(Probe.On && Probe.Has(SeededBug.SubscriptionStartsLate))) options = StartedNow(options);
        return FollowAsync(options, decode, cancellationToken);
    }

    private SubscribeOptions StartedNow(SubscribeOptions options) =>
        options with { FromAddress = LogSubscription.StartOf(source, options) };

    // The subscription is created here, so that each enumeration has its own.
    private async IAsyncEnumerable<LogEntry<T>> FollowAsync<T>(
        SubscribeOptions options, RecordDecoder<T> decode, [EnumeratorCancellation] CancellationToken cancellationToken)
    {
        if (Probe.On && Probe.Has(SeededBug.SubscriptionStartsLate)) options = StartedNow(options);
        using var feed = new LogSubscription(source, _clock, options);
        await foreach (LogEntry<T> item in feed.RunAsync(decode, cancellationToken).ConfigureAwait(false))
            yield return item;
    }
}
