using System.Diagnostics;
using Faster.Contracts;
using Faster.Engines;

namespace Faster.Tests.Faults;

/// <summary>
/// A workload that meets faults: each failed operation must throw a typed error and have done nothing, and is
/// tried again.
/// </summary>
/// <param name="store">The store.</param>
/// <param name="large">Whether values are larger than a page, and fewer.</param>
internal sealed class FaultedRun(FaultedStore store, bool large = false)
{
    /// <summary>The promise: so soon an operation ends, be it by an error.</summary>
    public static readonly TimeSpan Limit = TimeSpan.FromSeconds(1);

    private const int MendAfter = 3, MaxTries = 10;

    private readonly int _keys = large ? 40 : 1_200;
    private readonly int _steps = large ? 160 : 2_400;
    private readonly int _most = large ? 60_000 : 1_000;
    private readonly Dictionary<int, byte[]> _model = [];
    private readonly LostTime _lost = new();

    /// <summary>How many operations threw.</summary>
    public int Failures { get; private set; }

    /// <summary>How long the slowest operation took, of the time that the machine gave.</summary>
    public TimeSpan Slowest { get; private set; }

    /// <summary>Puts, appends and reads; after a few failures a persistent fault is repaired.</summary>
    public void Go(int seed)
    {
        FasterSession session = store.Session;
        var random = new Random(seed);
        for (int step = 0; step < _steps; step++)
        {
            int key = random.Next(_keys);
            byte[] bytes = new byte[random.Next(400, _most)];
            random.NextBytes(bytes);
            switch (random.Next(6))
            {
                case < 4:
                    Try(() => session.PutBytes(key, bytes));
                    _model[key] = bytes;
                    break;
                case 4:
                    Try(() => session.Append(key, bytes[..8]));
                    _model[key] = [.. _model.GetValueOrDefault(key, []), .. bytes[..8]];
                    break;
                default:
                    Try(() => Check(key));
                    break;
            }
        }
    }

    /// <summary>Every acknowledged update is there.</summary>
    public void CheckAll()
    {
        for (int key = 0; key < _keys; key++) Check(key);
    }

    private void Check(int key) => Assert.Equal(_model.GetValueOrDefault(key), store.Session.GetBytes(key));

    private void Try(Action operation)
    {
        for (int tries = 1; ; tries++)
        {
            long start = Stopwatch.GetTimestamp();
            try
            {
                operation();
                return;
            }
            catch (Exception e) when (e is StorageException or DamagedDataException)
            {
                Assert.True(tries < MaxTries, $"Still fails after {tries} tries: {e.Message}");
                if (++Failures == MendAfter) store.Mend();
            }
            finally
            {
                TimeSpan took = _lost.Taken(start, Limit);
                if (took > Slowest) Slowest = took;
            }
        }
    }
}
