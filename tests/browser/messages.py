"""What a page sends that no button sends."""

# Sends a message of a widget's as no button does, and gives the lines that answer it.
SEND = """async ({comm, kind, data}) => {
  const kernel = jupyterapp.shell.currentWidget.context.sessionContext.session.kernel;
  const id = crypto.randomUUID(), lines = [];
  const done = new Promise(resolve => {
    const hear = (_, message) => {
      if (message.parent_header.msg_id !== id) return;
      if (message.header.msg_type === 'stream') lines.push(message.content.text);
      if (message.header.msg_type !== 'status' || message.content.execution_state !== 'idle') return;
      kernel.iopubMessage.disconnect(hear);
      resolve(lines);
    };
    kernel.iopubMessage.connect(hear);
  });
  const header = {msg_id: id, msg_type: kind, session: kernel.clientId, username: '', version: '5.3', date: new Date().toISOString()};
  kernel.sendShellMessage({channel: 'shell', header, parent_header: {}, metadata: {}, content: {comm_id: comm, target_name: 'jupyter.widget', data}, buffers: []}, false);
  return await done;
}"""

# The model of the view below a cell.
MODEL = "i => jupyterapp.shell.currentWidget.context.model.cells.get(i).outputs.get(0).data['application/vnd.jupyter.widget-view+json'].model_id"


# The model of the field with this class in a view.
FIELD = """async ([root, name]) => {
  const renderer = jupyterapp.shell.currentWidget.content.rendermime.createRenderer('application/vnd.jupyter.widget-view+json', {});
  const manager = await renderer._manager.promise;
  const search = (model, within) => {
    const inside = within || model.get('_dom_classes').includes(name), children = model.get('children') || [];
    if (inside && model.get('_view_name') === 'FloatTextView') return model.model_id;
    return children.map(child => search(child, inside)).find(Boolean);
  };
  return search(await manager.get_model(root), false);
}"""


def state(**entries):
    return {"method": "update", "state": entries, "buffer_paths": []}


def custom(content):
    return {"method": "custom", "content": content}
