using Faster.Contracts;
using Faster.Log;

namespace Faster;

/// <summary>
/// The end of a session whose gate the caller has claimed: what is pending is completed, and then it is closed.
/// </summary>
internal static class SessionEnd<TProbe>
    where TProbe : struct, IProbe
{
    /// <summary>Ends a session; blocks while operations are pending.</summary>
    /// <exception cref="FasterException">An operation has failed that nobody awaits; the session is closed.</exception>
    public static void Run(FasterSession<TProbe> session)
    {
        try
        {
            session.Pending.CompleteDownTo(0, session);
            session.Pending.ThrowErrors();
        }
        finally
        {
            Close(session);
        }
    }

    /// <summary>Ends a session; does not block.</summary>
    /// <inheritdoc cref="Run"/>
    public static async ValueTask RunAsync(FasterSession<TProbe> session)
    {
        try
        {
            await session.Pending.CompleteAsync(session, isClosed: true, default).ConfigureAwait(false);
            session.Pending.ThrowErrors();
        }
        finally
        {
            Close(session);
        }
    }

    /// <summary>Closes a session without completing anything.</summary>
    public static unsafe void Close(FasterSession<TProbe> session)
    {
        session.Pending.Close();
        session.Store.Sessions.Close(session, session.Slot);
        session.Attempt.Cache.Retire();
        if (session.FreeLists is not null) ((InMemoryAllocator<TProbe>)session.Store.Log).Adopt(session.FreeLists);
        session.Feed.Close();
        session.Gate.End();
    }
}
