using System.Diagnostics;
using Xunit.Abstractions;
using Xunit.Sdk;

namespace Faster.Testing;

/// <summary>
/// Watches the tests of one run: if one does not end within a limit, the watch fails all running tests, with the stacks
/// of all threads in the message, and ends the run.
/// </summary>
/// <remarks>
/// The hanging threads stay; the process ends soon after the run. Time that a busy machine withholds from the tests
/// does not count, so a test that makes progress does not fail. Thread-safe: xUnit reports from several threads.
/// </remarks>
/// <param name="inner">Where all messages go.</param>
/// <param name="limit">How long a test may take.</param>
/// <param name="lost">The time that does not count, in total so far.</param>
/// <param name="stacks">Returns the stacks of all threads.</param>
internal sealed class HangWatch(IMessageSink inner, TimeSpan limit, Func<TimeSpan> lost, Func<string> stacks)
    : LongLivedMarshalByRefObject, IMessageSink
{
    private const int Hung = 70; // the exit code when the runner does not end the process by itself
    private static readonly TimeSpan LongestPoll = TimeSpan.FromSeconds(5), Farewell = TimeSpan.FromSeconds(30);

    private readonly Lock _lock = new();
    private readonly Dictionary<ITest, Moment> _running = [];
    private readonly TaskCompletionSource _isOver = new();
    private ITestAssembly? _assembly;
    private TimeSpan _lost = lost();
    private Moment _lastEvent = new(Stopwatch.GetTimestamp(), lost());
    private bool _isGivenUp;

    /// <summary>Watches on a thread of its own, until the run is over.</summary>
    public void Start() => new Thread(Watch) { IsBackground = true, Name = "hang watch" }.Start();

    /// <inheritdoc/>
    public bool OnMessage(IMessageSinkMessage message)
    {
        lock (_lock)
        {
            if (_isGivenUp) return false;
            _lastEvent = new Moment(Stopwatch.GetTimestamp(), _lost);
            if (message is ITestAssemblyStarting starting) _assembly = starting.TestAssembly;
            if (message is ITestStarting started) _running[started.Test] = _lastEvent;
            if (message is ITestFinished finished) _running.Remove(finished.Test);
            if (message is ITestAssemblyFinished) _isOver.TrySetResult();
        }

        return inner.OnMessage(message);
    }

    /// <summary>Ends the run if a test hangs, or if nothing has happened for as long as the limit.</summary>
    /// <returns>Whether the run is over.</returns>
    public bool Look()
    {
        lock (_lock)
        {
            if (_isOver.Task.IsCompleted) return true;
            _lost = lost();
            TimeSpan longest = _running.Count == 0
                ? GivenSince(_lastEvent)
                : _running.Values.Max(GivenSince);
            if (longest < limit) return false;
            _isGivenUp = true;
        }

        GiveUp();
        _isOver.TrySetResult();
        return true;
    }

    // The time since then, without what the machine has withheld from the tests.
    private TimeSpan GivenSince(Moment start) => Stopwatch.GetElapsedTime(start.Time) - (_lost - start.Lost);

    private void Watch()
    {
        TimeSpan poll = limit / 10 < LongestPoll ? limit / 10 : LongestPoll;
        while (!_isOver.Task.Wait(poll))
        {
            if (!Look()) continue;
            using var never = new ManualResetEventSlim();
            never.Wait(Farewell); // the runner writes its results and ends the process meanwhile
            Environment.Exit(Hung);
        }
    }

    private void GiveUp()
    {
        KeyValuePair<ITest, Moment>[] tests = [.. _running.OrderBy(static test => test.Value.Time)];
        string names = tests.Length == 0
            ? "between two tests"
            : string.Join("; ", tests.Select(static test =>
                $"{test.Key.DisplayName} ({Stopwatch.GetElapsedTime(test.Value.Time).TotalSeconds:N0} s)"));
        string report = $"HANG: no end for {limit.TotalSeconds:N0} s. The run was ended in: {names}."
            + $"{Environment.NewLine}{stacks()}";
        if (tests.Length == 0) Console.Error.WriteLine(report);
        foreach ((ITest test, Moment since) in tests)
        {
            var seconds = (decimal)Stopwatch.GetElapsedTime(since.Time).TotalSeconds;
            _ = inner.OnMessage(new TestFailed(test, seconds, "", new TimeoutException(report)));
            _ = inner.OnMessage(new TestFinished(test, seconds, ""));
            _ = inner.OnMessage(new TestCaseFinished(test.TestCase, seconds, 1, 1, 0));
            report = $"HANG: the run was ended while this test ran; see {tests[0].Key.DisplayName}.";
        }

        if (_assembly is not null)
            _ = inner.OnMessage(new TestAssemblyFinished([], _assembly, 0, tests.Length, tests.Length, 0));
    }

    private readonly record struct Moment(long Time, TimeSpan Lost);
}
