using Faster.Commits;
using Faster.Contracts;
using Faster.Epochs;
using Faster.Log;

namespace Faster.Tests.Commits;

/// <summary>The order of a commit's steps over several parts of a store, and what is left of one that fails.</summary>
public sealed class CommitPhasesTests
{
    private readonly EpochTable _epochs = new();
    private readonly CommitState _state = new(version: 7, PendingOrder.Strict, stripes: 16);
    private readonly List<string> _calls = [];

    [Theory]
    [InlineData(true, true, "Rest", "flush a", "flush b")]
    [InlineData(false, false, "write a", "write b", "Resume", "Rest")]
    [InlineData(true, false, "write b", "Resume", "Rest", "flush a")]
    [InlineData(false, true, "write a", "Resume", "Rest", "flush b")]
    public async Task Each_step_comes_to_all_parts_before_the_next_begins(
        bool firstFolds, bool secondFolds, params string[] captured)
    {
        FakeParticipant[] parts = Parts(firstFolds, secondFolds);
        await RunAsync(parts);
        string[] expected =
        [
            "begin a", "begin b", "first a", "first b", "Prepare", "start a", "start b", "InProgress",
            "WaitPending", "WaitFlush",
            "end version a", "end version b", "collect", .. captured, "publish", "end a", "end b",
        ];
        Assert.Equal(expected, _calls);
        AssertRests(version: 8, parts);
    }

    [Theory]
    [InlineData("begin", 7, false)]
    [InlineData("first", 7, false)]
    [InlineData("start", 7, false)]
    [InlineData("collect", 8, true)]
    [InlineData("end version", 8, true)]
    [InlineData("write", 8, true)]
    [InlineData("flush", 8, true)]
    [InlineData("publish", 8, true)]
    public async Task One_that_fails_rests_and_holds_nothing(string step, long version, bool hasEnded)
    {
        FakeParticipant[] parts = Parts(true, false);
        foreach (FakeParticipant part in parts) part.Failures.Add(step, new InvalidDataException(step));
        Assert.Equal(step, (await Assert.ThrowsAsync<InvalidDataException>(() => RunAsync(parts, step))).Message);
        Assert.Equal(hasEnded, _calls.Contains("failed"));
        Assert.Equal(["end a", "end b"], _calls.Where(static call => call is "end a" or "end b"));
        Assert.DoesNotContain("publish", _calls.SkipWhile(call => !call.StartsWith(step, default)).Skip(1));
        AssertRests(version, parts);
    }

    private FakeParticipant[] Parts(bool firstFolds, bool secondFolds) =>
        [new("a", _calls) { Folds = firstFolds }, new("b", _calls) { Folds = secondFolds }];

    private Task RunAsync(FakeParticipant[] parts, string? failing = null) => new CommitPhases(
        _state, parts, new StepWaits(_epochs), new Steps(_calls, failing)).RunAsync();

    private void AssertRests(long version, FakeParticipant[] parts)
    {
        Assert.Equal(new SystemState(CommitPhase.Rest, version), _state.Current);
        Assert.All(parts, static part => Assert.Equal(1, part.BeginsRising[0].CurrentCount));
    }

    private sealed class Steps(List<string> calls, string? failing) : ICommitSteps
    {
        public bool IsAnyInUnit => false;

        public void OnPhase(CommitPhase phase) => calls.Add($"{phase}");

        public void Collect() => Note("collect");

        public Task WatchAsync(CommitPhase phase, Task done) => done;

        public Task PublishAsync()
        {
            Note("publish");
            return Task.CompletedTask;
        }

        public void OnFailed(Exception failure) => calls.Add("failed");

        private void Note(string call)
        {
            calls.Add(call);
            if (call == failing) throw new InvalidDataException(call);
        }
    }
}
