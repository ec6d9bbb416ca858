using Faster.Contracts;
using Faster.Expiry;
using Faster.LogSessions;

namespace Faster.Analytics.Transfer;

/// <summary>Imports through a session of a store with a hash index, with the times at which records expire.</summary>
internal static class SessionImport
{
    /// <inheritdoc cref="Importer{TSession, TLayout}.RunAsync"/>
    public static Task<long> RunAsync<TLayout>(
        HashSession session, RecordSchema schema, ExportReader reader, IProgress<TransferProgress>? progress,
        CancellationToken cancellationToken)
        where TLayout : struct, IValueLayout
    {
        SessionClock clock = session.Attempt.Clock;
        Lifetime own = clock.Own; // of records without an expiry
        Acknowledgment? acknowledgment = session.Runner.Acknowledgment;
        if (acknowledgment is not null) acknowledgment.Defers = true;
        return new Importer<HashSession, TLayout>(session, schema, reader, progress)
        {
            SetExpiry = expiry =>
            {
                Lifetime life = expiry is { } moment ? Lifetime.Until(moment) : own;
                if (clock.Own != life) session.SetLife(life);
            },
            EndBlockAsync = async () =>
            {
                await session.CompletePendingAsync(CancellationToken.None).ConfigureAwait(false);
                if (acknowledgment is not null) await acknowledgment.CompleteAsync().ConfigureAwait(false);
            },
        }.RunAsync(cancellationToken);
    }
}
