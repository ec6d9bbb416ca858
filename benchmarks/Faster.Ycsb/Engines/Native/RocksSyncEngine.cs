using System.Globalization;
using System.Runtime.InteropServices;
using System.Text.RegularExpressions;
using Faster.Workload;
using Faster.Workload.Writes;

namespace Faster.Ycsb.Engines.Native;

/// <summary>
/// RocksDB with its log, synced before a write returns; else as <see cref="RocksEngine"/>. Logs are recycled, so that a
/// sync need not write the length of a growing file.
/// </summary>
internal sealed partial class RocksSyncEngine : RocksEngine, IDurableEngine
{
    private const int RecycledLogs = 4;
    private const double MicrosecondsPerSecond = 1e6;

    private readonly nint _options;

    /// <summary>Opens an empty store, or recovers what is in the folder.</summary>
    public RocksSyncEngine(string folder, EngineShape shape)
        : this(folder, shape, RocksLibrary.CreateOptions())
    {
    }

    private RocksSyncEngine(string folder, EngineShape shape, nint options)
        : base(folder, shape, Prepared(options), Synced()) => _options = options;

    /// <inheritdoc/>
    public SyncCounts? Syncs
    {
        get
        {
            nint text = RocksLibrary.Statistics(_options);
            Match syncs = LogSyncs().Match(Marshal.PtrToStringUTF8(text) ?? "");
            RocksLibrary.Free(text);
            return syncs.Success
                ? new SyncCounts(Number(syncs.Groups[1]), Number(syncs.Groups[2]) / MicrosecondsPerSecond)
                : null;
        }
    }

    /// <inheritdoc/>
    public override IWorker StartWorker() => new RocksSyncWorker(Handles);

    private static nint Prepared(nint options)
    {
        RocksLibrary.EnableStatistics(options);
        RocksLibrary.SetRecycledLogs(options, RecycledLogs);
        return options;
    }

    private static nint Synced()
    {
        nint writeOptions = RocksLibrary.CreateWriteOptions();
        RocksLibrary.SetSync(writeOptions, 1);
        return writeOptions;
    }

    private static long Number(Group digits) => long.Parse(digits.ValueSpan, CultureInfo.InvariantCulture);

    [GeneratedRegex(@"rocksdb\.wal\.file\.sync\.micros .*COUNT : (\d+) SUM : (\d+)")]
    private static partial Regex LogSyncs();
}
