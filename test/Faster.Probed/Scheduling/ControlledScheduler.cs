using Faster.Contracts;
using Faster.Probes;

namespace Faster.Tests.Scheduling;

/// <summary>Runs the logical threads of a scenario as real threads, of which one runs at any time.</summary>
/// <remarks>
/// <para>At its probe points the running thread hands over to the thread that the strategy chooses. All state here
/// therefore belongs to the running thread, and the hand-over orders memory. Schedules are sequentially consistent:
/// what only a store buffer can show is left to the litmus tests.</para>
/// <para>A thread at <see cref="ProbePoint.Wait"/> is not chosen again before another thread has done something other
/// than wait. When all wait, each gets a few more turns; if that does not help, it is a deadlock. A thread that waits
/// for a condition (<see cref="WaitUntil"/>) is not chosen before the condition holds.</para>
/// <para>Unfairness is bounded: a thread that retries again and again, and waits each time, pauses for a growing number
/// of steps while other threads can run that do not. Otherwise two threads that wait for a third could take turns
/// forever.</para>
/// <para>Code under test must not hold a lock across a probe point: a thread that blocks on it keeps its turn, and the
/// schedule fails after <see cref="ExplorationOptions.BlockedAfter"/>. Threads of a schedule that deadlocked or
/// livelocked stay parked until the process ends; no exception is thrown into them, because the code under test catches
/// exceptions.</para>
/// </remarks>
internal sealed class ControlledScheduler(SchedulingStrategy strategy, ExplorationOptions options, bool[] bugs)
    : IDisposable
{
    private const int FruitlessRounds = 4;
    private const int PauseForEachWait = 8, LongestPause = 256, LongAttempt = 64;

    // How often a thread polls before it pauses. Often, because some bugs show only when two threads wait side by side
    // for a while; seldom in an exhaustive search, which must end.
    private readonly int _patientWaits = options.Strategy == ExplorationStrategy.Exhaustive ? 2 : 32;
    private readonly List<ScheduledThread> _threads = [];
    private readonly List<int> _choices = [];
    private readonly HandOver _over = new();
    private State[] _states = [];
    private bool[] _beganWaiting = [];
    private Func<bool>?[] _conditions = [];
    private Polling[] _polling = [];
    private string?[] _places = []; // where each thread stopped last, in a replay
    private int _steps;
    private int _fruitless;
    private string? _failure;
    private Exception? _cause;

    private enum State
    {
        Ready,
        Waiting,
        Ended,
    }

    /// <summary>Whether threads of a schedule never ended: then this scheduler cannot be used again.</summary>
    public bool IsStuck { get; private set; }

    /// <summary>Runs a scenario once, its check included.</summary>
    /// <returns>What went wrong, or null.</returns>
    public FailedSchedule? Run(Scenario scenario)
    {
        Prepare(scenario);
        int first = Next(-1);
        if (first >= 0) _threads[first].Resume();
        for (int seen = -1; first >= 0 && !_over.Park(options.BlockedAfter); seen = Volatile.Read(ref _steps))
        {
            if (seen != Volatile.Read(ref _steps)) continue;
            IsStuck = true;
            return Failed("A thread is blocked outside the scheduler's sight: a lock held across a probe point?", null);
        }

        if (_failure is null) Check(scenario);
        return _failure is null ? null : Failed(_failure, _cause);
    }

    /// <summary>
    /// A thread is at a point: chooses the thread that runs next, and parks the caller if that is another thread.
    /// </summary>
    public void Reached(int self, ProbePoint point)
    {
        bool waits = point == ProbePoint.Wait;
        if (waits && _beganWaiting[self]) _fruitless++;
        else Progress();
        _states[self] = waits ? State.Waiting : State.Ready;
        _polling[self].Pass(waits, _steps, _patientWaits);
        _beganWaiting[self] = waits;
        HandOver(self);
    }

    /// <summary>A thread waits until a condition holds. The condition must have no side effects.</summary>
    public void WaitUntil(int self, Func<bool> condition)
    {
        Progress();
        _states[self] = State.Waiting;
        _conditions[self] = condition;
        _beganWaiting[self] = false;
        HandOver(self);
    }

    /// <summary>A thread has ended.</summary>
    public void Ended(int self, Exception? exception)
    {
        if (exception is not null)
        {
            _failure ??= $"Thread {self} threw {exception.GetType().Name}: {exception.Message}";
            _cause ??= exception;
        }

        Progress();
        _states[self] = State.Ended;
        int next = Next(-1);
        if (next >= 0) _threads[next].Resume();
        else _over.Resume();
    }

    /// <summary>Ends the threads.</summary>
    public void Dispose()
    {
        if (IsStuck) return;
        foreach (ScheduledThread thread in _threads) thread.Dispose();
    }

    private void Prepare(Scenario scenario)
    {
        int count = scenario.Threads.Length;
        while (_threads.Count < count) _threads.Add(new ScheduledThread(this, _threads.Count, bugs));
        if (_states.Length != count)
        {
            _states = new State[count];
            _beganWaiting = new bool[count];
            _conditions = new Func<bool>?[count];
            _polling = new Polling[count];
            _places = new string?[count];
        }

        Array.Clear(_states);
        Array.Clear(_beganWaiting);
        Array.Clear(_conditions);
        Array.Clear(_polling);
        for (int i = 0; i < count; i++) _threads[i].Body = scenario.Threads[i];
        _choices.Clear();
        _steps = 0;
        _fruitless = 0;
        _failure = null;
        _cause = null;
    }

    private void HandOver(int self)
    {
        int next = Next(self);
        if (next == self) return;
        if (options.Replay is not null) _places[self] = Environment.StackTrace;
        if (next >= 0) _threads[next].Resume();
        else _over.Resume();
        _threads[self].Park();
    }

    private void Progress()
    {
        _fruitless = 0;
        for (int i = 0; i < _states.Length; i++)
        {
            if (_states[i] == State.Waiting && _conditions[i] is null) _states[i] = State.Ready;
        }
    }

    private int Next(int self)
    {
        if (++_steps > options.StepLimit) return Stuck($"Livelock: {options.StepLimit} points passed without an end.");
        Span<int> enabled = stackalloc int[_states.Length];
        int count = 0;
        for (int i = 0; i < _states.Length; i++)
        {
            if (_conditions[i] is { } condition && condition())
            {
                _conditions[i] = null;
                _states[i] = State.Ready;
            }

            if (_states[i] == State.Ready) enabled[count++] = i;
        }

        if (count == 0) return NextWaiting(self);
        if (count > 1) count = WithoutPausing(enabled, count);
        if (count == 1) return enabled[0];
        bool canGoOn = self >= 0 && _states[self] == State.Ready && enabled[..count].Contains(self);

        // After a failure the other threads must only end.
        if (_failure is not null) return enabled[_steps % count];
        try
        {
            int choice = strategy.Choose(enabled[..count], canGoOn ? self : -1);
            _choices.Add(choice);
            return choice;
        }
        catch (InvalidOperationException exception)
        {
            _failure = exception.Message;
            return enabled[0];
        }
    }

    // The threads that are not pausing, if there are any; else all.
    private int WithoutPausing(Span<int> enabled, int count)
    {
        int awake = 0;
        for (int i = 0; i < count; i++)
        {
            if (_polling[enabled[i]].PausesUntil <= _steps) enabled[awake++] = enabled[i];
        }

        return awake == 0 ? count : awake;
    }

    private int NextWaiting(int self)
    {
        int count = _states.Length;
        for (int i = 1; i <= count; i++)
        {
            int candidate = (self + i + count) % count;
            if (_states[candidate] != State.Waiting || _conditions[candidate] is not null) continue;
            return _fruitless <= FruitlessRounds * count ? candidate : Stuck("Deadlock: all threads wait.");
        }

        bool haveEnded = Array.TrueForAll(_states, static state => state == State.Ended);
        return haveEnded ? -1 : Stuck("Deadlock: all threads wait for what does not come.");
    }

    private int Stuck(string failure)
    {
        _failure ??= failure;
        IsStuck = true;
        return -1;
    }

    private void Check(Scenario scenario)
    {
        try
        {
            scenario.Check();
        }
        catch (Exception exception)
        {
            _failure = $"The check failed: {exception.Message}";
            _cause = exception;
        }
    }

    private FailedSchedule Failed(string message, Exception? cause)
    {
        string choices = string.Join(' ', _choices);
        string how = $"To run it again: Replay = \"{choices}\".";
        for (int i = 0; IsStuck && i < _places.Length; i++) how += $" Thread {i} stopped {_places[i]}";
        return new FailedSchedule(message, $"{message} {how} {cause?.StackTrace}", choices, cause);
    }

    /// <summary>How often a thread has waited with little done in between.</summary>
    private struct Polling
    {
        private int _waits;
        private int _points;

        /// <summary>The step at which its pause ends.</summary>
        public int PausesUntil { get; private set; }

        public void Pass(bool waits, int step, int patientWaits)
        {
            if (++_points > LongAttempt) _waits = 0;
            if (!waits) return;
            _points = 0;
            int pauses = ++_waits - patientWaits;
            if (pauses > 0) PausesUntil = step + Math.Min(pauses * PauseForEachWait, LongestPause);
        }
    }
}
