using Faster.Analytics;
using Faster.Contracts;
using Faster.Epochs;
using Faster.Sessions;
using Faster.Stores;

namespace Faster.Tests.Engines.Example;

/// <summary>The store of <see cref="ExampleEngine"/>, without the user's types. Thread-safe.</summary>
public abstract class ExampleStore : EngineStore
{
    private readonly SessionRegistry _sessions = new();
    private readonly StoreClosing _closing;

    private protected ExampleStore(OrderedRecords records)
    {
        Records = records;
        Analytics = new CopyingScans<ExampleSession>(records.Schema, "Example", StartSession);
        Epochs = new EpochTable();
        _closing = new StoreClosing(Epochs, _sessions, Options.CloseTimeout, fault => LastFault = fault);
    }

    /// <inheritdoc/>
    public override ExampleOptions Options => Records.Options;

    /// <inheritdoc/>
    public override ExampleStatistics Statistics
    {
        get
        {
            ThrowIfUnusable();
            lock (Records.Latch)
            {
                return new()
                {
                    Records = Records.Count, MemoryBytes = Records.Bytes, Sessions = _sessions.Count,
                    LastFault = LastFault,
                };
            }
        }
    }

    internal override StoreScans Analytics { get; }

    internal OrderedRecords Records { get; }

    internal EpochTable Epochs { get; }

    internal SessionRegistry Sessions => _sessions;

    internal bool IsClosing => _closing.HasBegun;

    private Exception? LastFault { get; set; }

    internal ExampleSession StartSession() => _closing.Start(
        null, mustBeKnown: false, entry => Make(new SessionStart(this, null, entry)));

    internal void ThrowIfUnusable() => _closing.ThrowIfUnusable();

    private protected abstract ExampleSession Make(SessionStart start);

    private protected override Task CloseAsync(bool blocks) => _closing.RunAsync(blocks);
}

/// <summary>The store from which emitted code derives. Thread-safe.</summary>
/// <typeparam name="TSession">The emitted session.</typeparam>
/// <typeparam name="TRecord">The emitted record.</typeparam>
public abstract class ExampleStore<TSession, TRecord>(OrderedRecords records) : ExampleStore(records),
    IEngineStore<TSession, ExampleOptions>, IScanStore<TRecord>, IOrderedStore<TRecord>
    where TSession : ExampleSession
{
    /// <inheritdoc/>
    public new TSession StartSession() => (TSession)base.StartSession();

    /// <inheritdoc/>
    public IAsyncEnumerable<TRecord> ScanAsync(
        ScanOptions? options = null, CancellationToken cancellationToken = default) =>
        Analytics.ScanAsync(options, MakeRecord, cancellationToken);

    /// <inheritdoc/>
    public IReadOnlyList<TRecord> ReadRange(ReadOnlySpan<byte> first, ReadOnlySpan<byte> end)
    {
        ThrowIfUnusable();
        OrderedRecord limit = new(end.ToArray(), []);
        (ReadOnlyMemory<byte> Key, byte[] Value)[] range;
        lock (Records.Latch)
        {
            range = [.. Records.From(new(first.ToArray(), [])).TakeWhile(record => record.CompareTo(limit) < 0)
                .Select(static record => (record.Key, record.Value))];
        }

        return [.. range.Select(
            record => MakeRecord(new() { Key = record.Key.Span, Value = record.Value, Address = 0 }))];
    }

    /// <summary>Makes a session of the emitted type.</summary>
    protected abstract TSession MakeSession(SessionStart start);

    /// <summary>Makes a record of the emitted type.</summary>
    protected abstract TRecord MakeRecord(RecordView record);

    private protected override ExampleSession Make(SessionStart start) => MakeSession(start);
}
