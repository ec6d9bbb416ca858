using Faster.Contracts;
using Faster.Persistence;
using Faster.Probes;
using Faster.Tests.Scheduling;

namespace Faster.Tests.Persistence;

/// <summary>The group sync under controlled schedules, sound and with seeded bugs.</summary>
public sealed class GroupSyncScheduleTests
{
    private const string Early = "was acknowledged before it was durable";

    private static readonly ExplorationOptions Sampled =
        new() { Schedules = TestBudget.Times(1000), PreemptionBound = 3 };

    [Fact]
    public void Acknowledged_writes_are_durable() => Explorer.Run(Sampled, () => Writing(0)).AssertClean();

    [Fact]
    public void Acknowledged_writes_are_durable_in_any_schedule_of_two_preemptions() =>
        Explorer.AssertAllClean(() => Writing(0, values: 1));

    [Fact]
    public void A_failed_sync_acknowledges_nothing_and_ends_every_wait()
    {
        Explorer.Run(Sampled, () => Writing(1)).AssertClean();
        Explorer.Run(Sampled, () => Writing(2)).AssertClean();
        Explorer.AssertAllClean(() => Writing(1));
    }

    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    public void Blocked_threads_and_called_waiters_are_told_the_truth(int failing)
    {
        Explorer.Run(Sampled, () => Writing(failing, 2, Way.Blocks, Way.IsCalled)).AssertClean();
        Explorer.AssertAllClean(() => Writing(failing, 1, Way.Blocks, Way.IsCalled));
        Explorer.AssertAllClean(() => Writing(failing, 1, Way.Blocks, Way.Blocks));
    }

    [Fact]
    public void Disposal_ends_every_wait_in_any_schedule_of_two_preemptions() => Explorer.AssertAllClean(Closing);

    [Theory]
    [InlineData(SeededBug.TicketBeforeSync, 0)]
    [InlineData(SeededBug.TicketJoinsRunningSync, 0)]
    [InlineData(SeededBug.FailedSyncIsRetried, 1)]
    internal void A_seeded_bug_is_found(SeededBug bug, int failing) =>
        Explorer.Run(Sampled with { Bugs = [bug] }, () => Writing(failing)).AssertFound(Early);

    /// <summary>Two writers; each waits for its values in two ways.</summary>
    /// <param name="failing">The sync that fails, and drops what it was to make durable; 0: none.</param>
    /// <param name="values">How many values each writes, 1 or 2.</param>
    /// <param name="one">How one waits.</param>
    /// <param name="other">How the other one waits.</param>
    private static Scenario Writing(int failing, int values = 2, Way one = Way.Polls, Way other = Way.Awaits)
    {
        var medium = new Medium(failing);
        var group = new GroupSync("medium", medium.Sync, startsThread: false);
        int writing = 2;
        void Write(int writer)
        {
            for (int i = 0; i < values; i++)
            {
                int value = (writer * values) + i;
                medium.Write(value);
                if (IsAcknowledged(group, i == writer ? one : other) && !medium.Durable[value])
                    throw new InvalidOperationException($"Value {value} {Early}.");
            }

            if (--writing == 0) group.Dispose();
        }

        return new Scenario(
            [() => Write(0), () => Write(1), group.Run],
            () => Assert.Equal(failing is 0, medium.Durable.Take(2 * values).All(isDurable => isDurable)));
    }

    /// <summary>A writer, and a thread that disposes of the group at any time.</summary>
    private static Scenario Closing()
    {
        var medium = new Medium(0);
        var group = new GroupSync("medium", medium.Sync, startsThread: false);
        return new Scenario([Write, group.Dispose, group.Run]);

        void Write()
        {
            medium.Write(0);
            try
            {
                ValueTask<long> wait = group.WaitAsync(group.TakeTicket());
                Await(() => wait.IsCompleted);
                wait.GetAwaiter().GetResult();
            }
            catch (ObjectDisposedException)
            {
                return;
            }

            if (!medium.Durable[0]) throw new InvalidOperationException($"The value {Early}.");
        }
    }

    private static bool IsAcknowledged(GroupSync group, Way way)
    {
        try
        {
            long ticket = group.TakeTicket();
            switch (way)
            {
                case Way.Polls:
                    while (!group.IsDurable(ticket)) Probe.Point(ProbePoint.Wait);
                    return true;
                case Way.Blocks:
                    group.Wait(ticket);
                    return true;
                case Way.IsCalled:
                    var called = new Called();
                    group.Notify(ticket, called);
                    Await(() => called.Calls != 0);
                    Assert.Equal(1, called.Calls);
                    return called.Error is null;
            }

#pragma warning disable CA2012 // A task would be completed by another thread than the scheduler's.
            ValueTask<long> wait = group.WaitAsync(ticket);
            Await(() => wait.IsCompleted);
            wait.GetAwaiter().GetResult();
#pragma warning restore CA2012
            return true;
        }
        catch (StorageException)
        {
            return false;
        }
    }

    private static void Await(Func<bool> condition)
    {
        while (!condition()) Assert.True(Probe.Wait(condition), "Nothing can come of this wait.");
    }

    private enum Way
    {
        Polls,
        Awaits,
        Blocks,
        IsCalled,
    }

    private sealed class Called : IDurableWaiter
    {
        public int Calls { get; private set; }

        public Exception? Error { get; private set; }

        public void OnDurable(Exception? error)
        {
            Calls++;
            Error = error;
        }
    }

    /// <summary>Values that become durable by a sync that began after they were written.</summary>
    private sealed class Medium(int failing)
    {
        private readonly bool[] _unsynced = new bool[4];
        private int _syncs;

        public bool[] Durable { get; } = new bool[4];

        public void Write(int value)
        {
            Probe.Point(ProbePoint.GroupSync);
            _unsynced[value] = true;
        }

        public void Sync()
        {
            bool fails = ++_syncs == failing;
            var taken = (bool[])_unsynced.Clone();
            Array.Clear(_unsynced); // a failed sync drops what it took, as the system does
            Probe.Point(ProbePoint.GroupSync);
            if (fails) throw new StorageException("The sync fails. Nothing can be done.");
            for (int i = 0; i < taken.Length; i++) Durable[i] |= taken[i];
        }
    }
}
