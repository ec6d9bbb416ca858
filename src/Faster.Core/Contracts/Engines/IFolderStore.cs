using System.ComponentModel;

namespace Faster.Contracts;

/// <summary>A store whose data lie in a folder: its engine opens it with a path.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public interface IFolderStore;
