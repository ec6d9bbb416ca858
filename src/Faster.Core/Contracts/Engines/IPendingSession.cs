using System.ComponentModel;

namespace Faster.Contracts;

/// <summary>
/// A session whose operations may become pending, for example because a record is on disk: it has the pending members
/// of <see cref="ISession"/>.
/// </summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public interface IPendingSession : IEngineSession;
