using System.Diagnostics.CodeAnalysis;
using System.Runtime.InteropServices;
using Faster.Epochs;

namespace Faster;

/// <summary>How a session refuses a call while another one is under way, or after it was closed.</summary>
internal static unsafe class SessionMisuse
{
    /// <summary>What a closed session points to: a slot that is never idle, so that every entry is refused.</summary>
    public static readonly EpochSlot* ClosedSlot = MakeClosedSlot();

    /// <summary>Says what is wrong.</summary>
    [DoesNotReturn]
    public static void Throw(string? sessionName, bool isClosed)
    {
        string name = sessionName is null ? "The session" : $"Session '{sessionName}'";
        throw new SessionMisuseException(isClosed
            ? $"{name} has been disposed of. Start a new one."
            : $"{name} is in use by another call: a second thread uses it at the same time, or a user function calls "
            + $"it. "
                + "Use one session for each logical client, one call at a time.");
    }

    private static EpochSlot* MakeClosedSlot()
    {
        var slot = (EpochSlot*)NativeMemory.AlignedAlloc((nuint)sizeof(EpochSlot), 64);
        slot->Epoch = -1;
        return slot;
    }
}
