using System.Runtime.InteropServices;
using Faster.Invariants;
using Microsoft.Win32.SafeHandles;

namespace Faster.Devices.IOUring;

/// <summary>One io_uring: the two rings that the kernel shares with us, and the call that advances them.</summary>
/// <remarks>
/// <para>Invariants:</para>
/// <list type="bullet">
/// <item>All four counters only grow, except that a submission which the kernel has not taken may be withdrawn.</item>
/// <item>No more submissions are published than the ring has entries, and none before it is filled.</item>
/// <item>A completion's entry is returned to the kernel only after it has been read.</item>
/// </list>
/// <para>Each ring is a power of two of entries between two counters that only grow: one side writes at the tail, the
/// other reads at the head. <b>Submissions</b> are ours to write. An entry is filled first and the tail stored after it
/// with release, so the kernel, which loads the tail with acquire, never sees a half-filled one. The kernel advances
/// the head when it has copied an entry; we load it with acquire before we fill that entry again, so that our stores
/// can't overtake its loads. <b>Completions</b> are the kernel's to write: we load its tail with acquire before we read
/// the entries below, and store our head with release after we have read them, so that it can't overwrite what we still
/// read. Nothing more is needed, because no kernel thread polls the submissions: the kernel reads them only inside
/// <see cref="Submit"/>, in the caller's own context.</para>
/// <para>Not thread-safe: the owner ensures that one thread at a time fills submissions, and one reads completions;
/// <see cref="Submit"/> belongs to the former, <see cref="Wait"/> to the latter.</para>
/// </remarks>
internal sealed unsafe class IORing : IDisposable
{
    private const int MaxTries = 20;
    private static readonly TimeSpan TryTimeout = TimeSpan.FromMilliseconds(5);

    private readonly RingCalls _calls;
    private readonly SafeFileHandle _file;
    private readonly int _fd;
    private readonly RingParameters _parameters;
    private readonly nuint _ringsLength;
    private readonly nuint _entriesLength;
    private byte* _rings;
    private SubmissionEntry* _entries;
    private readonly uint* _submitHead;
    private readonly uint* _submitTail;
    private readonly uint* _submitFlags;
    private readonly uint* _completeHead;
    private readonly uint* _completeTail;
    private readonly CompletionEntry* _completions;

    private IORing(RingCalls calls, int fd, in RingParameters parameters)
    {
        _calls = calls;
        _fd = fd;
        _file = new SafeFileHandle(fd, ownsHandle: true);
        _parameters = parameters;
        nuint submissions = parameters.Submissions.Array + (nuint)parameters.SubmissionEntries * sizeof(uint);
        nuint completions = parameters.Completions.Completions
            + (nuint)parameters.CompletionEntries * (nuint)sizeof(CompletionEntry);
        _ringsLength = Math.Max(submissions, completions);
        _entriesLength = (nuint)parameters.SubmissionEntries * (nuint)sizeof(SubmissionEntry);
        _rings = calls.Map(fd, _ringsLength, RingLayout.RingsAt);
        _entries = (SubmissionEntry*)calls.Map(fd, _entriesLength, RingLayout.EntriesAt);
        if (_rings == null || _entries == null) return;
        _submitHead = (uint*)(_rings + parameters.Submissions.Head);
        _submitTail = (uint*)(_rings + parameters.Submissions.Tail);
        _submitFlags = (uint*)(_rings + parameters.Submissions.Flags);
        _completeHead = (uint*)(_rings + parameters.Completions.Head);
        _completeTail = (uint*)(_rings + parameters.Completions.Tail);
        _completions = (CompletionEntry*)(_rings + parameters.Completions.Completions);
        var order = (uint*)(_rings + parameters.Submissions.Array);
        for (uint i = 0; i < parameters.SubmissionEntries; i++) order[i] = i; // entries are used in their own order
    }

    /// <summary>The number of submissions that the ring has space for.</summary>
    public int Entries => (int)_parameters.SubmissionEntries;

    /// <summary>The number of filled submissions that the kernel has not taken yet.</summary>
    public uint Unsubmitted => Volatile.Read(ref *_submitTail) - Volatile.Read(ref *_submitHead);

    /// <summary>Whether there is a completion.</summary>
    public bool HasCompletion => Volatile.Read(ref *_completeTail) != Volatile.Read(ref *_completeHead);

    /// <summary>Whether completions wait in the kernel for a call of <see cref="Wait"/>.</summary>
    public bool HasWork => (Volatile.Read(ref *_submitFlags)
        & (RingLayout.CompletionsOverflowed | RingLayout.WorkWaits)) != 0;

    /// <summary>Creates a ring.</summary>
    /// <param name="calls">The system calls.</param>
    /// <param name="entries">
    /// The number of submissions that it must have space for; completions get twice as many.
    /// </param>
    /// <param name="cooperative">
    /// Whether the thread that submits also waits: completions then need not interrupt it.
    /// </param>
    /// <param name="refusal">The reason why there is no ring.</param>
    public static IORing? TryCreate(RingCalls calls, int entries, bool cooperative, out string? refusal)
    {
        uint flags = RingLayout.SetupClamp | RingLayout.SetupSizedCompletions;
        uint extra = cooperative ? RingLayout.SetupCooperative | RingLayout.SetupWorkFlag : 0;
        RingParameters parameters = ParametersOf(entries, flags | extra);
        int fd = calls.Setup((uint)entries, &parameters);
        if (fd == -DeviceErrors.InvalidArgument && cooperative)
        {
            parameters = ParametersOf(entries, flags); // a kernel before 5.19
            fd = calls.Setup((uint)entries, &parameters);
        }

        if (fd < 0)
        {
            refusal = Refused("io_uring_setup", fd);
            return null;
        }

        var ring = new IORing(calls, fd, parameters);
        refusal = ring.Refusal();
        if (refusal is null) return ring;
        ring.Dispose();
        return null;
    }

    /// <summary>
    /// Makes the kernel keep a file open until the last transfer of this ring has ended, even if the process ends
    /// earlier.
    /// </summary>
    /// <param name="file">The file; its own handle may be closed at any time.</param>
    /// <param name="refusal">The reason why it does not.</param>
    public bool TryHold(SafeFileHandle file, out string? refusal)
    {
        bool added = false;
        try
        {
            file.DangerousAddRef(ref added);
            int fd = (int)file.DangerousGetHandle();
            int error = _calls.Register(_fd, RingLayout.RegisterFiles, &fd, 1);
            refusal = error < 0 ? Refused("io_uring_register", error) : null;
            return refusal is null;
        }
        finally
        {
            if (added) file.DangerousRelease();
        }
    }

    /// <summary>
    /// Sends a request that does nothing through a ring that has not been used. Calls that find the system
    /// overloaded are repeated.
    /// </summary>
    /// <returns>Null when it came back; otherwise the reason why it did not.</returns>
    public string? WhyIdle()
    {
        TryReserve()->Operation = RingLayout.Nothing;
        Publish();
        int entered = -DeviceErrors.TimeIsOver;
        for (int i = 0; i < MaxTries && !HasCompletion; i++)
        {
            entered = Unsubmitted != 0 ? Submit(Unsubmitted) : Wait(1, TryTimeout);
            if (entered >= 0 || -entered is DeviceErrors.InterruptedCall or DeviceErrors.TimeIsOver) continue;
            if (!DeviceErrors.IsOverload(-entered)) break;
            Thread.Sleep(TryTimeout);
        }

        return HasCompletion ? null : Refused("io_uring_enter", entered);
    }

    /// <summary>An empty submission to fill, or null while the ring is full.</summary>
    public SubmissionEntry* TryReserve()
    {
        uint tail = *_submitTail;
        if (tail - Volatile.Read(ref *_submitHead) >= _parameters.SubmissionEntries) return null;
        SubmissionEntry* entry = _entries + (tail & (_parameters.SubmissionEntries - 1));
        *entry = default;
        return entry;
    }

    /// <summary>Publishes the submission that was reserved last and is now filled: the kernel may take it.</summary>
    public void Publish()
    {
        Invariant.DebugCheck(
            Unsubmitted < _parameters.SubmissionEntries,
            $"a published submission has an entry of its own: {Unsubmitted} of {_parameters.SubmissionEntries}");
        Volatile.Write(ref *_submitTail, *_submitTail + 1);
    }

    /// <summary>Withdraws the last submission that the kernel has not taken.</summary>
    /// <returns>False when there is none.</returns>
    public bool TryWithdraw(out SubmissionEntry entry)
    {
        uint tail = *_submitTail;
        entry = default;
        if (tail == Volatile.Read(ref *_submitHead)) return false;
        entry = _entries[(tail - 1) & (_parameters.SubmissionEntries - 1)];
        Volatile.Write(ref *_submitTail, tail - 1);
        return true;
    }

    /// <summary>Waits for completions, and lets the kernel finish the work that needs this thread.</summary>
    /// <param name="wanted">The number of completions that end the wait; 0 to check without waiting.</param>
    /// <param name="timeout">The maximum time; infinite when negative.</param>
    /// <returns>0, or the negative number of an error; a timeout is one.</returns>
    public int Wait(int wanted, TimeSpan timeout)
    {
        var time = new KernelTime
        {
            Seconds = timeout.Ticks / TimeSpan.TicksPerSecond,
            Nanoseconds = timeout.Ticks % TimeSpan.TicksPerSecond * TimeSpan.NanosecondsPerTick,
        };
        var argument = new WaitArgument { Time = timeout < TimeSpan.Zero ? 0 : (ulong)&time };
        return _calls.Enter(
            _fd, 0, (uint)wanted, RingLayout.EnterWait | RingLayout.EnterWaitArgument, &argument);
    }

    /// <summary>Starts submissions.</summary>
    /// <returns>The number started, or the negative number of an error.</returns>
    public int Submit(uint count) => _calls.Enter(_fd, count, 0, 0, null);

    /// <summary>Reads the oldest completion, which stays until <see cref="Advance"/>.</summary>
    public bool TryPeek(out CompletionEntry completion)
    {
        uint head = *_completeHead;
        completion = default;
        if (head == Volatile.Read(ref *_completeTail)) return false;
        completion = _completions[head & (_parameters.CompletionEntries - 1)];
        return true;
    }

    /// <summary>Returns the oldest completion's space to the kernel.</summary>
    public void Advance()
    {
        Invariant.DebugCheck(HasCompletion, $"a completion is returned once; the head is at {*_completeHead}");
        Volatile.Write(ref *_completeHead, *_completeHead + 1);
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        if (_rings != null) _calls.Unmap(_rings, _ringsLength);
        if (_entries != null) _calls.Unmap((byte*)_entries, _entriesLength);
        _rings = null;
        _entries = null;
        _file.Dispose();
    }

    private static RingParameters ParametersOf(int entries, uint flags) => new()
    {
        CompletionEntries = (uint)entries * 2, Flags = flags,
    };

    private string? Refusal()
    {
        const uint needed =
            RingLayout.FeatureSingleMap | RingLayout.FeatureNoDrop | RingLayout.FeatureWaitArgument;
        if ((_parameters.Features & needed) != needed) return "The kernel's io_uring is too old: 5.11 is needed.";
        if (_rings == null || _entries == null) return "The rings could not be mapped: there is no more memory.";
        RingProbe probe = default;
        int error = _calls.Register(_fd, RingLayout.RegisterProbe, &probe, RingProbe.Capacity);
        if (error < 0) return Refused("io_uring_register", error);
        bool transfers = Supports(probe, RingLayout.Nothing) && Supports(probe, RingLayout.Read)
            && Supports(probe, RingLayout.Write);
        return transfers ? null : "The kernel's io_uring can't read and write.";
    }

    private static string Refused(string call, int error) =>
        $"{call} was refused: {Marshal.GetPInvokeErrorMessage(-error)} (error {-error}).";

    private static bool Supports(in RingProbe probe, byte operation) =>
        (probe.Operations[operation].Flags & RingLayout.OperationSupported) != 0;
}
