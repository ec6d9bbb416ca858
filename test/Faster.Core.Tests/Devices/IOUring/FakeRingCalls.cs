using Faster.Devices;
using Faster.Devices.IOUring;
using Faster.Tests.Devices.Segments;

namespace Faster.Tests.Devices.IOUring;

/// <summary>The real io_uring, of which a test refuses calls and changes results.</summary>
internal sealed unsafe class FakeRingCalls(FakeFileCalls files) : RingCalls
{
    /// <summary>The error of each making of a ring; 0 makes it.</summary>
    public int RefuseSetup { get; set; }

    /// <summary>The error of each call that would begin requests or wait for them; 0 makes it.</summary>
    public int RefuseEnter { get; set; }

    /// <summary>The error of each holding of a file; 0 holds it.</summary>
    public int RefuseHold { get; set; }

    /// <summary>What a kernel lacks.</summary>
    public uint LacksFeatures { get; set; }

    /// <summary>Flags of a ring that a kernel does not know.</summary>
    public uint UnknownFlags { get; set; }

    /// <summary>The errors of the next calls that would begin requests, which then begin nothing.</summary>
    public Queue<int> RefuseSubmit { get; } = new();

    /// <summary>Changes a result: gets what the kernel has said.</summary>
    public Func<IORequest, int, int>? OnResult { get; set; }

    /// <summary>How many calls have begun requests.</summary>
    public int Submits { get; private set; }

    public override int Setup(uint entries, RingParameters* parameters)
    {
        if (RefuseSetup != 0) return -RefuseSetup;
        if ((parameters->Flags & UnknownFlags) != 0) return -DeviceErrors.InvalidArgument;
        int ring = base.Setup(entries, parameters);
        parameters->Features &= ~LacksFeatures;
        return ring;
    }

    public override int Enter(int ring, uint toSubmit, uint atLeast, uint flags, WaitArgument* argument)
    {
        if (RefuseEnter != 0) return -RefuseEnter;
        if (toSubmit == 0) return base.Enter(ring, toSubmit, atLeast, flags, argument);
        Submits++;
        return RefuseSubmit.TryDequeue(out int error)
            ? -error
            : base.Enter(ring, toSubmit, atLeast, flags, argument);
    }

    public override int Register(int ring, uint what, void* argument, uint count) =>
        what == RingLayout.RegisterFiles && RefuseHold != 0 ? -RefuseHold : base.Register(ring, what, argument, count);

    public override int ResultOf(IORequest request, int result)
    {
        try
        {
            files.OnTransfer?.Invoke();
        }
        catch (IOException e)
        {
            return -e.HResult;
        }

        if (request.Kind == IOKind.Read) result = Math.Min(result, files.ReadAtMost);
        return OnResult?.Invoke(request, result) ?? result;
    }
}
