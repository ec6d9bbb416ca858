using Faster.Devices;
using Faster.Log;

namespace Faster.Tests.Log;

public sealed class LogRequestTests
{
    [Fact]
    public void Each_completion_is_told_whatever_the_others_throw()
    {
        List<Exception> faults = [];
        Told[] requests = [new(), new() { Throws = true }, new(), new() { Throws = true }, new()];
        IORequest?[] completed = [.. requests];
        LogRequest.CompleteAll(completed!, faults.Add);
        Assert.All(requests, request => Assert.Equal(1, request.Times));
        Assert.Equal(2, faults.Count);
        Assert.All(completed, Assert.Null);
    }

    [Fact]
    public void Each_parked_operation_is_resumed_whatever_the_others_throw()
    {
        var gate = new WaitGate();
        int resumed = 0;
        gate.Park(() => false, () => resumed++);
        gate.Park(() => false, () => throw new InvalidOperationException());
        gate.Park(() => false, () => resumed++);
        Assert.Single(Assert.Throws<AggregateException>(gate.Signal).InnerExceptions);
        Assert.Equal(2, resumed);
    }

    private sealed class Told : LogRequest
    {
        public int Times { get; private set; }

        public bool Throws { get; init; }

        public override void OnCompleted()
        {
            Times++;
            if (Throws) throw new InvalidOperationException();
        }
    }
}
