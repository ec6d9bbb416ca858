using Faster.Contracts;
using Faster.OperationLogs;
using Faster.Persistence;

namespace Faster.Crash.Persistence;

/// <summary>
/// What was published in operation logs, acknowledged and freed, over several lives: the model of what a power cut must
/// leave.
/// </summary>
/// <remarks>
/// A scan from a kept commit's marks must find what was published behind them, in the order of each log: all of what
/// was acknowledged, nothing between left out, and nothing else. Not thread-safe.
/// </remarks>
internal sealed class LogModel
{
    /// <summary>The identity of the logs.</summary>
    public const ulong Identity = 0xF00D;

    /// <summary>How many there are.</summary>
    public const int Logs = 2;

    private List<long>[] _published = [[], []];
    private int[] _acknowledged = new int[Logs];
    private List<(LogMark[] Marks, int[] Counts)> _kept = [(new LogMark[Logs], new int[Logs])];
    private Finder? _opened;
    private long _numbers;

    /// <summary>The marks of the commits that are kept, one or two; the oldest first.</summary>
    public IReadOnlyList<LogMark[]> Kept => [.. _kept.Select(static commit => commit.Marks)];

    /// <summary>The records that were acknowledged, in all lives that were not cut off.</summary>
    public int Acknowledged => _acknowledged.Sum();

    /// <summary>The bytes of a record's value.</summary>
    public static byte[] ValueOf(long number, int length)
    {
        byte[] bytes = new byte[length];
        new Random((int)number).NextBytes(bytes);
        return bytes;
    }

    /// <summary>A number that no record has.</summary>
    public long NextNumber() => ++_numbers;

    /// <summary>Notes a record that is about to be published.</summary>
    public void Publish(int log, long number) => _published[log].Add(number);

    /// <summary>How many records were published in each log.</summary>
    public int[] Counts() => [.. _published.Select(static numbers => numbers.Count)];

    /// <summary>Notes that what was published at a moment was acknowledged.</summary>
    public void Acknowledge(int[] counts) =>
        _acknowledged = [.. counts.Zip(_acknowledged, Math.Max)];

    /// <summary>Notes a durable commit that names marks; two are kept.</summary>
    public void Commit(LogMark[] marks, int[] counts) => _kept = [_kept[^1], (marks, counts)];

    /// <summary>What a later power cut is judged by: the model as it is now.</summary>
    public LogModel Copy() => new()
    {
        _published = _published, // goes on: what is published later may be there, too
        _acknowledged = _acknowledged,
        _kept = _kept,
        _numbers = _numbers,
    };

    /// <summary>Checks what a power cut has left, for each kept commit.</summary>
    /// <returns>What is wrong, or null.</returns>
    public string? Judge(ReadOnlySpan<byte> image)
    {
        foreach ((LogMark[] marks, int[] counts) in _kept)
        {
            var found = new Finder();
            try
            {
                var domain = new PersistenceDomain(new EmulatedRegion(image, TimeSpan.Zero));
                LogSet.Open(domain, Identity, marks, found).Dispose();
            }
            catch (DamagedDataException e)
            {
                return $"damage is reported where there is none: {e.Message}";
            }

            if (Judge(found, counts) is { } failure) return failure;
        }

        return null;
    }

    /// <summary>Begins a life that opens the logs at the marks of the older kept commit, as a store does.</summary>
    public ILogVisitor BeginLife() => _opened = new Finder();

    /// <summary>Notes that the logs are open: what the scan has not found is cut off for good.</summary>
    public void Opened()
    {
        int[] counts = _kept[0].Counts;
        _published = [.. _published.Select((numbers, log) =>
            numbers.Take(counts[log] + _opened!.Numbers[log].Count).ToList())];
        _acknowledged = Counts();
    }

    private string? Judge(Finder found, int[] counts)
    {
        if (found.Torn is { } torn) return $"record {torn} is torn";
        for (int log = 0; log < Logs; log++)
        {
            List<long> expected = _published[log].Skip(counts[log]).ToList(), numbers = found.Numbers[log];
            int same = expected.Zip(numbers).TakeWhile(static pair => pair.First == pair.Second).Count();
            if (same < numbers.Count) return $"log {log}: record {numbers[same]} was not published where it is found";
            if (counts[log] + same < _acknowledged[log])
                return $"log {log}: {counts[log] + same} records are there, but {_acknowledged[log]} were acknowledged";
        }

        return null;
    }

    private sealed class Finder : ILogVisitor
    {
        public List<long>[] Numbers { get; } = [[], []];

        public long? Torn { get; private set; }

        public void Visit(int log, LogRecord record)
        {
            Numbers[log].Add(record.Counter);
            if (!record.ValueBytes.SequenceEqual(ValueOf(record.Counter, record.ValueBytes.Length)))
                Torn ??= record.Counter;
        }
    }
}
